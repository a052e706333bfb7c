import { expect, test } from 'vitest'

import { LAST_TIME } from '../../codec/block.ts'
import { createClock } from './clock.ts'

const clockAt = (headTime: number) =>
  createClock({ headTime: () => headTime, now: () => headTime, repeatable: false, step: 1_000 })

test('error: times after the last one, without a change of the clock', () => {
  const clock = clockAt(5_000)
  for (const act of [
    () => clock.increase(LAST_TIME),
    () => clock.increase(Infinity),
    () => clock.set(2 ** 63),
    () => clock.setNext(Number.MAX_VALUE),
    () => clock.setInterval(2 ** 63),
  ])
    expect(act).toThrow('seconds are not possible')
  expect(clock.next()).toBe(6_000)
  expect(clock.increase(LAST_TIME - 5_000)).toBe(LAST_TIME - 5_000)
  expect(() => clock.increase(1_000)).toThrow('seconds are not possible')
})

test('error: an interval that leads beyond the last time; it can be removed', () => {
  const clock = clockAt(LAST_TIME - 1_000)
  clock.setInterval(2_000)
  expect(() => clock.take()).toThrow('seconds are not possible')
  clock.setInterval(undefined)
  expect(clock.take()).toBe(LAST_TIME)
})

test('behavior: blocks follow the last time', () => {
  const clock = clockAt(LAST_TIME)
  expect(new Date(clock.take()).toISOString()).toBe('+141338-07-19T02:25:05.000Z')
})

test('behavior: a chosen time stays when the clock moves, and the clock continues from it', () => {
  let headTime = 5_000
  const clock = createClock({
    headTime: () => headTime,
    now: () => 5_000,
    repeatable: false,
    step: 1_000,
  })
  clock.setNext(10_000)
  clock.increase(500_000)
  headTime = clock.take()
  expect(headTime).toBe(10_000)
  expect(clock.take()).toBe(11_000)
})
