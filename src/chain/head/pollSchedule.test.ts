import { describe, expect, test } from 'vitest'

import { createPollSchedule } from './pollSchedule.ts'

const SLOT = 3_000

/** A schedule that has seen blocks in their slots, each `lag` ms late. */
function learned(lag: number, slots = 5) {
  const schedule = createPollSchedule()
  for (let slot = 0; slot < slots; slot++) schedule.blockSeen(slot * SLOT, slot * SLOT + lag)
  return { schedule, last: (slots - 1) * SLOT + lag }
}

/** The polls between a block and the next one, as times after it. */
function polls(lag: number, until = SLOT) {
  const { last, schedule } = learned(lag)
  const times: number[] = []
  for (let time = 0; time < until;) {
    time += schedule.delay(last + time)
    times.push(time)
  }
  return times
}

describe('createPollSchedule', () => {
  test('default: sparse until a block is due, then eager', () => {
    expect(polls(250)).toEqual([1_000, 2_000, 2_900, 3_100])
  })

  test('behavior: every 500 ms while the slots are unknown', () => {
    const schedule = createPollSchedule()
    expect(schedule.delay(0)).toBe(500)
    schedule.blockSeen(0, 100)
    schedule.blockSeen(1_234, 1_400)
    schedule.blockSeen(9_999, 10_000)
    expect(schedule.delay(10_000)).toBe(500)
  })

  test('behavior: polls often in a missed slot, then in the next one', () => {
    const { last, schedule } = learned(100)
    expect(schedule.delay(last + SLOT)).toBe(200)
    expect(schedule.delay(last + SLOT + 1_500)).toBe(500)
    expect(schedule.delay(last + 2 * SLOT)).toBe(200)
  })

  test('behavior: the slots become unknown when the chain stops', () => {
    const { last, schedule } = learned(100)
    expect(schedule.delay(last + 5 * SLOT)).toBe(500)
    expect(schedule.delay(last + 4.5 * SLOT)).toBe(500)
  })

  test('behavior: at most two polls a second on average', () => {
    // In addition to the polls, a block costs one call for the solidified header.
    for (const lag of [0, 50, 300, 900]) expect(polls(lag).length + 1).toBeLessThanOrEqual(6)
  })
})
