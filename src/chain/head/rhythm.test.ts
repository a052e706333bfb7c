import { describe, expect, test } from 'vitest'

import { createRhythm } from './rhythm.ts'

const SLOT = 3_000

/** A rhythm that has seen blocks at their slots, each `lag` ms late. */
function learned(lag: number, slots = 5) {
  const rhythm = createRhythm()
  for (let slot = 0; slot < slots; slot++) rhythm.seen(slot * SLOT, slot * SLOT + lag)
  return { rhythm, last: (slots - 1) * SLOT + lag }
}

/** The polls between a block and the next one, as times after it. */
function polls(lag: number, until = SLOT) {
  const { last, rhythm } = learned(lag)
  const times: number[] = []
  for (let time = 0; time < until;) {
    time += rhythm.delay(last + time)
    times.push(time)
  }
  return times
}

describe('createRhythm', () => {
  test('default: sparse until a block is due, then eager', () => {
    expect(polls(250)).toEqual([1_000, 2_000, 2_900, 3_100])
  })

  test('behavior: without a rhythm every 500 ms', () => {
    const rhythm = createRhythm()
    expect(rhythm.delay(0)).toBe(500)
    rhythm.seen(0, 100)
    rhythm.seen(1_234, 1_400)
    rhythm.seen(9_999, 10_000)
    expect(rhythm.delay(10_000)).toBe(500)
  })

  test('behavior: a missed slot is waited for, then the next one', () => {
    const { last, rhythm } = learned(100)
    expect(rhythm.delay(last + SLOT)).toBe(200)
    expect(rhythm.delay(last + SLOT + 1_500)).toBe(500)
    expect(rhythm.delay(last + 2 * SLOT)).toBe(200)
  })

  test('behavior: a chain that stands still has no rhythm', () => {
    const { last, rhythm } = learned(100)
    expect(rhythm.delay(last + 5 * SLOT)).toBe(500)
    expect(rhythm.delay(last + 4.5 * SLOT)).toBe(500)
  })

  test('behavior: at most two looks a second on average', () => {
    // Beside the looks a block costs one call for the solidified header.
    for (const lag of [0, 50, 300, 900]) expect(polls(lag).length + 1).toBeLessThanOrEqual(6)
  })
})
