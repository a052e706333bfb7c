import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { NodeAnswerError, NodeBusyError, NodeTimeoutError } from '../errors.ts'
import { createBudget, HEDGES, RETRIES } from './budget.ts'
import type { Member } from './member.ts'
import type { Outcome } from './outcome.ts'
import { createRace, type Extra, type RaceCall } from './race.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

/** Milliseconds until a late answer: longer than any wait before another node is asked. */
const LATE = 500

/** How a node reacts to a call. */
type Reaction = 'answer' | 'late' | 'never' | 'failed' | 'busy' | 'unknown' | 'refusal'

const REPLY = { status: 200, text: '{}', parsed: {} }
const OUTCOMES: Record<Reaction, Outcome> = {
  answer: { kind: 'answer', reply: REPLY },
  late: { kind: 'answer', reply: REPLY },
  never: { kind: 'answer', reply: REPLY },
  failed: { kind: 'failed', error: new NodeAnswerError('no') },
  busy: { kind: 'busy', error: new NodeBusyError() },
  unknown: { kind: 'unknown', reply: REPLY },
  refusal: { kind: 'answer', reply: REPLY, isRefusal: true },
}

/**
 * Two nodes that do with each call what the next entry of a list says, over and over. `isFree`: whether they have a place for
 * one more call. `isAble`: whether the second node can answer. `tier`: that of the second node; the first one has 0.
 */
function setup(
  reactions: readonly Reaction[],
  { isAble = (): boolean => true, isFree = true, tier = 0 } = {},
) {
  const extras: Record<Extra, number> = { busy: 0, confirm: 0, failover: 0, hedge: 0 }
  let asked = 0
  const ask: Member['ask'] = async () => {
    const reaction = reactions[asked++ % reactions.length] ?? 'answer'
    await new Promise((resolve) => {
      if (reaction !== 'never') setTimeout(resolve, reaction === 'late' ? LATE : 1)
    })
    return OUTCOMES[reaction]
  }
  const limiter = { free: () => isFree }
  const known = { head: { number: 10_000 }, lowest: 0 }
  const nodes = [0, tier].map(
    (tier) =>
      ({ ask, known, limiter, slow() {}, upstream: { tier }, p95: () => 2 }) as unknown as Member,
  )
  const race = createRace({
    choose: (_, excluded) =>
      nodes.find((node, index) => !excluded.includes(node) && (index === 0 || isAble())),
    hedges: createBudget(HEDGES),
    onExtra: (why) => void extras[why]++,
    retries: createBudget(RETRIES),
    timeout: 10_000,
  })
  const call: RaceCall = {
    asking: undefined,
    body: '{}',
    group: undefined,
    kind: 'read',
    need: { kind: 'state', solid: false },
    operation: 'getaccount',
    path: '/wallet/getaccount',
  }
  /** So many calls, a few milliseconds apart. Resolves when each has ended. */
  async function run(calls: number) {
    const left = { calls }
    const ended = () => void left.calls--
    for (let index = 0; index < calls; index++) {
      race.run(call, nodes[0] as Member, undefined).then(ended, ended)
      for (let passed = 0; passed < 3; passed++) await millisecond()
    }
    while (left.calls > 0) await millisecond()
  }
  return { asked: () => asked, call, extras, node: nodes[0] as Member, race, run }
}

/**
 * A millisecond passes, and what is due then settles. `vi.advanceTimersByTimeAsync` waits a real millisecond for each timer, which
 * takes longer than all the rest.
 */
async function millisecond(): Promise<void> {
  vi.advanceTimersByTime(1)
  await new Promise(setImmediate)
}

const reaction = fc.constantFrom<Reaction>('answer', 'late', 'failed', 'busy', 'unknown')

test('behavior: hedges and repetitions stay within their budgets, whatever the nodes do', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(reaction, { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 400 }),
      async (reactions, calls) => {
        const { asked, extras, run } = setup(reactions)
        await run(calls)
        expect(extras.hedge).toBeLessThanOrEqual(HEDGES.reserve + HEDGES.part * calls)
        expect(extras.failover + extras.busy).toBeLessThanOrEqual(
          RETRIES.reserve + RETRIES.part * calls,
        )
        // Each "unknown" is asked of a second node once.
        expect(extras.confirm).toBeLessThanOrEqual(calls)
        expect(asked()).toBe(calls + extras.hedge + extras.failover + extras.busy + extras.confirm)
      },
    ),
    { numRuns: 60 },
  )
})

test.each<[Reaction, Extra, typeof HEDGES]>([
  ['late', 'hedge', HEDGES],
  ['failed', 'failover', RETRIES],
  ['busy', 'busy', RETRIES],
])('behavior: calls that are all %s use up the budget', async (only, extra, budget) => {
  const { extras, run } = setup([only])
  await run(400)
  // What the first calls earn does not count while the reserve is full.
  expect(extras[extra]).toBeGreaterThan(budget.reserve + budget.part * 350)
})

test.each([
  ['where it would wait for a place', { isFree: false }],
  ['to a node of a higher tier', { tier: 1 }],
])('behavior: no hedge %s', async (_, options) => {
  const { extras, run } = setup(['late'], options)
  await run(100)
  expect(extras.hedge).toBe(0)
  // A node that is much too slow is a failure, not a matter of latency.
  expect(extras.failover).toBeGreaterThan(0)
})

test.each<[string, Reaction[]]>([
  ['the first node', ['never', 'unknown']],
  ['the node that should confirm it', ['unknown', 'never']],
])('behavior: "not found" counts unconfirmed when %s never answers', async (_, reactions) => {
  const { call, node, race } = setup(reactions)
  const answer = race.run(call, node, undefined)
  // Far below the deadline of 10 s.
  for (let passed = 0; passed < 3_000; passed += 10) await vi.advanceTimersByTimeAsync(10)
  expect(race.inFlight()).toBe(0)
  expect(await answer).toBe(REPLY)
})

test.each<[Reaction, number]>([
  ['answer', 6],
  ['refusal', 0],
])(
  'behavior: an old block that one node lacks, then %s of another: the lowest block is %i',
  async (second, lowest) => {
    const { call, node, race } = setup(['unknown', second])
    const need = { kind: 'block', number: 5, solid: false } as const
    const answer = race.run({ ...call, need }, node, undefined)
    await vi.advanceTimersByTimeAsync(10)
    expect(await answer).toBe(REPLY)
    expect(node.known.lowest).toBe(lowest)
  },
)

test('behavior: a slow call is sent to a node that is able to answer only later', async () => {
  const able = { second: false }
  const { call, node, race } = setup(['never', 'answer'], { isAble: () => able.second })
  const answer = race.run(call, node, undefined)
  for (let passed = 0; passed < 1_000; passed += 10) await vi.advanceTimersByTimeAsync(10)
  expect(race.inFlight()).toBe(1)
  able.second = true
  for (let passed = 0; passed < 1_000; passed += 10) await vi.advanceTimersByTimeAsync(10)
  expect(race.inFlight()).toBe(0)
  expect(await answer).toBe(REPLY)
})

test('error: a call ends at its deadline, whatever its nodes wait for', async () => {
  const { call, node, race } = setup(['never'])
  const timers = vi.getTimerCount()
  const ended = race
    .run({ ...call, kind: 'build' }, node, undefined)
    .catch((error: unknown) => error)
  await vi.advanceTimersByTimeAsync(10_010)
  expect(await ended).toBeInstanceOf(NodeTimeoutError)
  expect(vi.getTimerCount()).toBe(timers)
})
