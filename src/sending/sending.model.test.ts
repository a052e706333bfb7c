import fc from 'fast-check'
import type { Hash } from 'viem'
import { expect, onTestFinished, test } from 'vitest'

import { isLong } from '../../test/support/long.ts'
import { connectLosing, type LosingRedis } from '../../test/support/losingRedis.ts'
import { explainSkip, redisMissing, someRedis } from '../../test/support/redis.ts'
import { createModelChain, hash, LIFETIME, UNSOLID } from '../../test/support/sendingModel/chain.ts'
import { ANSWERS, type Answer, createModelNode } from '../../test/support/sendingModel/node.ts'
import { startReplica } from '../../test/support/sendingModel/replica.ts'
import { createSteps, inTurn } from '../../test/support/sendingModel/steps.ts'
import {
  createFaulty,
  faultyStore,
  type Life,
  losingStore,
} from '../../test/support/sendingModel/stores.ts'
import { RpcError } from '../lib/errors.ts'
import { createdContract } from './contracts.ts'
import { createMemorySentStore } from './memorySentStore.ts'
import { createRedisSentStore } from './redisSentStore.ts'
import type { SentStore } from './sentStore.ts'

/**
 * Three replicas that send the same Ethereum transactions, through a node that answers anything, on a chain that removes blocks, with a
 * store that may lose its last writes. Every call to the store and to the node stops before and after it, and chance says which one
 * continues: so requests, blocks, the end of a process and what others restore come between any two steps.
 */

const from = `0x${'a1'.repeat(20)}` as const

/** The first amount of the transactions that are only signed, and of those that eth_sendTransaction signs and sends. */
const SIGNED = 10
const PAID = 100

const replica = fc.nat(2)
const eventArb = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('send'), replica, alias: fc.nat(1) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('steps'), count: fc.nat(40) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('block'), takes: fc.nat(15) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('deliver'), replica }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('reorg'),
      depth: fc.integer({ min: 1, max: UNSOLID - 1 }),
      takes: fc.nat(15),
      isDropped: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('kill'), replica }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('pay'), replica }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('crash'), loses: fc.nat(6) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('sign'), replica, value: fc.nat(1) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('sendSigned'),
      replica,
      which: fc.nat(5),
      isElsewhere: fc.boolean(),
    }),
  },
)

const fault = fc.oneof(
  { weight: 12, arbitrary: fc.constant('none' as const) },
  { weight: 1, arbitrary: fc.constantFrom('before' as const, 'after' as const) },
)

/** Half of the answers are of a busy node that kept the bytes, or a refusal: a busy node is asked again, and can then refuse what it has. */
const answerArb = fc.oneof(
  fc.constantFrom(...ANSWERS),
  fc.constantFrom('busyHas' as const, 'refused' as const),
)

const runArb = fc.record({
  events: fc.array(eventArb, { minLength: 5, maxLength: 40 }),
  answers: fc.array(answerArb, { minLength: 4, maxLength: 12 }),
  faults: fc.array(fault, { minLength: 6, maxLength: 20 }),
  /** Whether the node shows a transaction that it has, at each look. A node that stands shows none. */
  shows: fc.oneof(fc.array(fc.boolean(), { minLength: 3, maxLength: 9 }), fc.constant([false])),
  picks: fc.array(fc.nat(20), { minLength: 5, maxLength: 40 }),
  /** Whether the two Ethereum transactions have one nonce, as when a wallet replaces one with a higher price. */
  replaces: fc.boolean(),
})

type Run = typeof runArb extends fc.Arbitrary<infer value> ? value : never

/** @param redis - where the store is, which loses its last writes in a crash; absent for one that loses nothing */
async function play(run: Run, store: SentStore, redis?: LosingRedis): Promise<void> {
  const nextAnswer = inTurn<Answer>(run.answers)
  const nextFault = inTurn(run.faults)
  const nextShows = inTurn(run.shows)
  const nextPick = inTurn(run.picks)
  let isCalm = false
  let signed = 0
  /** Replicas that wait until all have restored what they know in the present run of Redis. */
  const waiting = new Set<() => void>()
  const chain = createModelChain()
  const { canBeMined, has, isAlive, natives, pool } = chain
  /** What was recorded: nothing else may reach a node. */
  const recorded = new Set<Hash>()
  /** By Ethereum transaction: what was recorded until the last refusal that freed its record. */
  const recordedBefore = new Map<number, ReadonlySet<Hash>>()

  const steps = createSteps(nextPick)
  async function step(): Promise<boolean> {
    await steps.quiet()
    letGo()
    await steps.quiet()
    return steps.step()
  }
  const lives = new Set<Life>()
  /** Replicas wait for 3 s. What they have asked Redis before takes 2 s at most, and what they know is restored then. */
  const isSettled = () =>
    [...lives].every(({ commands, run: known }) => commands === 0 && known === redis?.runId())
  function letGo(): void {
    if (!isSettled()) return
    for (const resolve of waiting) resolve()
    waiting.clear()
  }
  /** A replica looks every second, until it has restored what it knows. */
  async function restore(life: Life): Promise<void> {
    while (!life.isDead && life.run !== redis?.runId()) await life.look()
  }
  async function crash(loses: number): Promise<void> {
    if (!redis) return
    await steps.quiet()
    await redis.lose(loses)
    // Those that waited for the run before are told by their next write.
    for (const resolve of waiting) resolve()
    waiting.clear()
    for (const life of lives) void restore(life)
  }
  /** What a replica and Redis lose together is lost for good, so Redis loses only what was written after the last end of a replica. */
  function kill(index: number): void {
    const { life } = at(index)
    if (redis && life.run !== redis.runId()) return
    redis?.hold()
    life.isDead = true
    lives.delete(life)
    replicas[index] = start()
  }

  /** What the last one of a store has recorded, or dropped because of a refusal. */
  const notes = {
    reserved: (id: Hash) => recorded.add(id),
    refused(id: Hash) {
      const { alias } = natives.get(id) ?? {}
      if (alias !== undefined) recordedBefore.set(alias, new Set(recorded))
    },
  }
  const nodeFor = createModelNode({
    chain,
    nextAnswer: () => (isCalm ? 'accepted' : nextAnswer()),
    nextShows,
    onBroadcast(id) {
      if (!recorded.has(id)) failures.push(new Error('broadcast without a record'))
    },
  })
  function start() {
    const life: Life = { isDead: false, run: '', look: async () => {}, commands: 0 }
    lives.add(life)
    const slowly = <value>(call: () => Promise<value>) => steps.slowly(life, call)
    const faulty = createFaulty(life, slowly, () => (isCalm ? 'none' : nextFault()))
    const onWait = (resolve: () => void) => waiting.add(resolve)
    const own = redis
      ? losingStore(redis, { faulty, life, notes, onWait })
      : faultyStore(store, faulty, notes)
    const native = nodeFor(slowly)
    return { life, ...startReplica({ chain, native, nextSigned: () => ++signed, store: own }) }
  }

  /** The native transactions of an Ethereum one that are mined, or can be. */
  const alive = (alias: number) =>
    [...natives].filter(([id, native]) => native.alias === alias && (has(id) || canBeMined(id)))
  /** What clients have got from eth_signTransaction, which they may send through a replica or elsewhere. */
  const held: { hex: string; id: Hash; nonce: number }[] = []
  const answered = new Set<number>()
  /** The amounts of eth_sendTransaction, which are one transaction each. */
  const paid: number[] = []
  const told = new Set<number>()
  const check = () => {
    for (const amount of told) expect(alive(amount), 'told that it was not sent').toEqual([])
    for (const amount of [0, 1, ...paid]) expect(alive(amount).length, 'paid twice').toBeLessThan(2)
    const both = alive(0).length + alive(1).length
    expect(both, 'paid and replaced').toBeLessThan(run.replaces ? 2 : 3)
    const open = held.filter(({ id }) => has(id) || isAlive(id))
    const ofNonce = (nonce: number) =>
      new Set(open.flatMap((one) => (one.nonce === nonce ? one.id : [])))
    for (const { nonce } of open)
      expect(ofNonce(nonce).size, 'two signed for a nonce').toBeLessThan(2)
  }

  const failures: unknown[] = []
  const replicas = [start(), start(), start()]
  const at = (index: number) => replicas[index] as (typeof replicas)[number]
  const alias = (n: number) => hash(500_000 + n)
  function send(index: number, n: number): void {
    const nonce = run.replaces ? 0 : undefined
    // The first one creates a contract.
    const request = {
      from,
      nonce,
      ...(n > 0 && { to: from }),
      value: BigInt(n),
      data: '0x',
    } as const
    at(index)
      .submission.submit(request, alias(n))
      .then(
        () => answered.add(n),
        (error: RpcError) => {
          expect(error).toBeInstanceOf(RpcError)
          // A refusal is told only while nothing can be mined of what was recorded before. Then another request can record what it has signed.
          const before = recordedBefore.get(n) ?? natives
          const left = alive(n).filter(([id]) => before.has(id))
          if (error.code === -32000) expect(left, 'refused, and alive').toEqual([])
        },
      )
      .catch((error: unknown) => failures.push(error))
  }
  function pay(index: number): void {
    const amount = PAID + paid.length
    paid.push(amount)
    at(index)
      .submission.submit({ from, to: from, value: BigInt(amount), data: '0x' })
      .catch((error: RpcError) => {
        // A client that is told so pays again.
        if (error.code !== -32003) told.add(amount)
      })
  }
  function signFor(index: number, value: number): void {
    const request = { from, value: BigInt(SIGNED + value), data: '0x' } as const
    at(index)
      .submission.sign(request)
      .then(
        (one) => held.push(one),
        (error: RpcError) => expect(error).toBeInstanceOf(RpcError),
      )
      .catch((error: unknown) => failures.push(error))
  }
  function sendSigned(index: number, which: number, isElsewhere: boolean): void {
    const one = held[which % Math.max(1, held.length)]
    if (!one) return
    if (isElsewhere) return void pool.add(one.id)
    const { expiration } = natives.get(one.id) ?? {}
    const contract = [{ type: 'CreateSmartContract' }]
    const transaction = { raw_data: { contract, expiration } } as never
    at(index)
      .submission.submitSigned({ hex: one.hex, id: one.id, transaction }, async () => from)
      .catch((error: unknown) => expect(error).toBeInstanceOf(RpcError))
      .catch((error: unknown) => failures.push(error))
  }
  for (const event of run.events) {
    if (event.kind === 'send') send(event.replica, event.alias)
    else if (event.kind === 'pay') pay(event.replica)
    else if (event.kind === 'sign') signFor(event.replica, event.value)
    else if (event.kind === 'sendSigned') sendSigned(event.replica, event.which, event.isElsewhere)
    else if (event.kind === 'block') chain.add(event.takes)
    else if (event.kind === 'deliver') at(event.replica).deliver()
    else if (event.kind === 'reorg') chain.reorg(event.depth, event.takes, event.isDropped)
    else if (event.kind === 'crash') await crash(event.loses)
    else if (event.kind === 'kill') kill(event.replica)
    else for (let count = event.count; count > 0 && (await step()); count--) check()
    check()
  }

  const settle = async () => {
    for (let count = 0; (await step()) && count < 5_000; count++) check()
  }
  // Everything that was begun ends. Then there are no more faults, and the chain goes on until all of it has expired.
  await settle()
  isCalm = true
  for (let block = 0; block < LIFETIME + UNSOLID + 4; block++) {
    chain.add(15)
    for (const each of replicas) while (each.isBehind()) each.deliver()
    await settle()
    check()
  }
  expect(failures).toEqual([])
  expect(await store.unfinished({ limit: 100 }), 'a nonce is stuck').toEqual([])
  const mined = [...natives.keys()].filter(has)
  const records = await Promise.all(mined.map((id) => store.find(id)))
  expect(records.map((sent) => sent?.state)).toEqual(mined.map(() => 'final'))
  const nonces = new Set(records.map((sent) => sent?.nonce))
  expect(nonces.size, 'a nonce is used twice').toBe(mined.length)
  let free = 0
  while (nonces.has(free)) free += 1
  expect(await store.counts(from), 'nonces').toEqual({ mined: free, next: free })
  const created = records.flatMap((sent) =>
    sent?.creates ? createdContract(sent.id, from, sent.nonce) : [],
  )
  // A predicted address can be recorded twice. The last record counts.
  const { contracts } = await store.contracts(0)
  const last = [...new Map(contracts.map((one) => [one.predicted, one])).values()]
  const known = last.filter(({ actual }) => actual)
  expect(known, 'contracts').toHaveLength(created.length)
  expect(known, 'contracts').toEqual(expect.arrayContaining(created))
  for (const n of answered) {
    const sent = await store.find(alias(n))
    const outcome = sent ? sent.state : (await store.ending(alias(n)))?.state
    expect(['final', 'expired', 'refused'], 'lost').toContain(outcome)
    expect(has(sent?.id ?? '0x')).toBe(outcome === 'final')
  }
}

/** Runs in memory. `MODEL_RUNS` sets those in Redis too, each of which takes a third of a second. */
const RUNS = Number(process.env['MODEL_RUNS'] ?? (isLong ? 3_000 : 150))

test(
  'behavior: never two paid, none lost, no nonce stuck: in memory',
  { timeout: 3_000_000 },
  async () => {
    const property = fc.asyncProperty(runArb, (run) => play(run, createMemorySentStore()))
    expect(fc.defaultReportMessage(await fc.check(property, { numRuns: RUNS }))).toBeUndefined()
  },
)

explainSkip(redisMissing)

test.skipIf(redisMissing)(
  'behavior: never two paid, none lost, no nonce stuck: in Redis that loses its last writes',
  { timeout: 3_000_000 },
  async () => {
    const redis = await someRedis()
    onTestFinished(() => redis.close())
    const property = fc.asyncProperty(runArb, async (run) => {
      const losing = await connectLosing(redis.url)
      try {
        await play(run, createRedisSentStore({ redis: losing }), losing)
      } finally {
        await losing.close()
      }
    })
    const report = await fc.check(property, {
      numRuns: isLong || process.env['MODEL_RUNS'] ? RUNS : RUNS / 6,
    })
    expect(fc.defaultReportMessage(report)).toBeUndefined()
  },
)
