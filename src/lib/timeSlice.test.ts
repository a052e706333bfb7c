import { expect, test } from 'vitest'

import type { Call } from './call.ts'
import { createTimeSlice } from './timeSlice.ts'

/** Work of `slices` slices of `cost` milliseconds each, on a clock that only work moves. */
function setup(budget = 5) {
  const clock = { now: 0 }
  const timeSlice = createTimeSlice({ budget, now: () => clock.now })
  const done: string[] = []
  const work = async (name: string, slices: number, cost: number) => {
    for (let slice = 0; slice < slices; slice++) {
      if (timeSlice.isOver()) await timeSlice.next()
      clock.now += cost
    }
    done.push(name)
  }
  return { clock, done, timeSlice, work }
}

const turn = () => new Promise(setImmediate)

test('default', async () => {
  const { done, work } = setup()
  await work('short', 3, 1)
  expect(done).toEqual(['short'])
})

test('behavior: no tick takes much longer than its time slice', async () => {
  const { clock, work } = setup()
  const all = Promise.all(Array.from({ length: 50 }, (_, index) => work(String(index), 20, 1)))
  const lengths: number[] = []
  while (clock.now < 50 * 20) {
    const before = clock.now
    await turn()
    lengths.push(clock.now - before)
  }
  await all
  expect(clock.now).toBe(50 * 20)
  // Between two callbacks of the test are at most the end of one tick and the beginning of the next.
  expect(Math.max(...lengths)).toBeLessThanOrEqual(2 * (5 + 1))
})

test('behavior: waiting work continues before new work starts', async () => {
  const { done, work } = setup(1)
  const all = [work('first', 1, 1), work('second', 1, 1), work('third', 1, 1)]
  await turn()
  all.push(work('late', 1, 1))
  await Promise.all(all)
  expect(done).toEqual(['first', 'second', 'third', 'late'])
})

test('behavior: a long slice ends the work of its tick', async () => {
  const { done, timeSlice, work } = setup()
  await work('long', 1, 100)
  expect(timeSlice.isOver()).toBe(true)
  await timeSlice.next()
  expect(timeSlice.isOver()).toBe(false)
  expect(done).toEqual(['long'])
})

test('behavior: long work pauses while new work arrives in each tick, for a bounded time', async () => {
  const { clock, done, timeSlice, work } = setup(1)
  const all = work('long', 3, 1)
  for (let count = 0; count < 10; count++) {
    timeSlice.pause()
    clock.now += 1
    await turn()
  }
  // The slice that had already begun.
  expect(clock.now).toBe(10 + 1)
  clock.now += 50
  timeSlice.pause()
  await turn()
  await turn()
  expect(clock.now).toBeGreaterThan(61)
  await all
  expect(done).toEqual(['long'])
})

test('behavior: callers get slices in turn', async () => {
  const slice = createTimeSlice({ budget: 0 })
  const [heavy, light] = [caller('heavy'), caller('light')]
  const order: string[] = []
  const wait = (name: string, caller: Call) => slice.next(caller).then(() => order.push(name))
  await Promise.all([
    ...['h1', 'h2', 'h3'].map((name) => wait(name, heavy)),
    ...['l1', 'l2'].map((name) => wait(name, light)),
  ])
  expect(order).toEqual(['h1', 'l1', 'h2', 'l2', 'h3'])
})

test('behavior: answers that are ready go out before the long work that waits', async () => {
  const slice = createTimeSlice({ budget: 0 })
  const order: string[] = []
  const long = slice.next().then(() => order.push('long'))
  slice.first(() => order.push('answer'))
  await long
  expect(order).toEqual(['answer', 'long'])
})

/** A call of a caller. */
function caller(id: string): Call {
  return { caller: { id, limits: {} } }
}
