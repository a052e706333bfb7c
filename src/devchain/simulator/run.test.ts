import { expect, test } from 'vitest'

import { counted, countedForAll, createRun, runs } from './run.ts'
import { createTurns } from './turns.ts'

const SIGNAL = new AbortController().signal

/** Turns by a clock of the test, and who had them. */
function setup(most?: number) {
  const had: number[] = []
  const clock = { now: 0 }
  const rests: (() => void)[] = []
  const turns = createTurns({
    most,
    now: () => clock.now,
    onTurn: (number) => had.push(number),
    rest: () => new Promise((resolve) => rests.push(resolve)),
  })
  const used = new Map<number, number>()
  const open = (number: number, owner = String(number)) => {
    const onUsed = (milliseconds: number) => used.set(number, milliseconds)
    return turns.open({ number, onUsed, owner, signal: SIGNAL, weight: 1 })
  }
  return { clock, had, open, rests, used }
}

test('default: a simulation that waits for the node does not compute', async () => {
  const { clock, open, used } = setup()
  const turn = open(1)
  await turn.take()
  const calls: number[] = []
  const run = createRun({ onCall: (count) => calls.push(count), signal: SIGNAL, turn })
  await runs.run(run, async () => {
    clock.now += 5
    const ask = async () => {
      clock.now += 1_000
    }
    await Promise.all([counted(ask), counted(ask)])
    clock.now += 3
    turn.give()
  })
  expect([run.calls, calls, used.get(1), turn.used()]).toEqual([2, [1, 2], 8, 8])
})

test('behavior: what all wait for is counted, and waits for no turn', async () => {
  const { had, open } = setup()
  const [turn, other] = [open(1), open(2)]
  await other.take()
  const calls: number[] = []
  const run = createRun({ onCall: (count) => calls.push(count), signal: SIGNAL, turn })
  expect(await runs.run(run, () => countedForAll(async () => 'read'))).toBe('read')
  expect([calls, had]).toEqual([[1], [2]])
})

test('behavior: each pays for its own time, and callers take turns', async () => {
  const { clock, had, open } = setup()
  const work = async (turn: ReturnType<typeof open>) => {
    await turn.take()
    for (let slice = 0; slice < 3; slice++) {
      clock.now += 10
      expect(turn.isOver()).toBe(true)
      await turn.next()
    }
    turn.give()
    return turn.used()
  }
  const all = [open(1, 'a'), open(2, 'a'), open(3, 'a'), open(4, 'b')].map(work)
  expect(await Promise.all(all)).toEqual([30, 30, 30, 30])
  const order = had.filter((number) => number !== 0)
  expect(order.indexOf(4)).toBeLessThan(3)
  expect(order.lastIndexOf(4)).toBeLessThan(order.length - 1)
})

test('behavior: one that waits for another one does not keep its turn', async () => {
  const { had, open } = setup()
  const [first, second] = [open(1), open(2)]
  await second.take()
  // The second waits for what the first will do.
  await first.take()
  first.give()
  await second.next()
  expect(had.filter((number) => number !== 0)).toEqual([2, 1, 2])
})

test('behavior: after a long turn the simulations of a caller leave time to others, until these have ended', async () => {
  const { clock, had, open, rests } = setup()
  const [first, second, other] = [open(1, 'a'), open(2, 'a'), open(3, 'b')]
  await first.take()
  clock.now += 1_000
  const next = Promise.all([first.next(), second.take()])
  for (let read = 0; read < 5; read++) {
    await other.take()
    other.give()
    await new Promise(setImmediate)
  }
  expect(had.filter((number) => number !== 0)).toEqual([1, 3, 3, 3, 3, 3])
  other.end()
  expect(rests.length).toBe(1)
  rests[0]?.()
  await next
  expect(had.filter((number) => number !== 0).toSorted((a, b) => a - b)).toEqual([
    1, 1, 2, 3, 3, 3, 3, 3,
  ])
})

test('error: more time than one may compute, and one that has left', async () => {
  const { clock, open } = setup(100)
  const turn = open(1)
  await turn.take()
  clock.now += 101
  expect(turn.left()).toBeLessThan(0)
  const gone = new AbortController()
  const left = createTurns({ onTurn() {} }).open({
    number: 1,
    onUsed() {},
    owner: '',
    signal: gone.signal,
    weight: 1,
  })
  await left.take()
  gone.abort(new Error('left'))
  await expect(left.next()).rejects.toThrow('left')
})
