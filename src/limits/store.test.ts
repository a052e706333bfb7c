import { expect, test } from 'vitest'

import { testLimitStore } from './store.contract.ts'
import { createMemoryLimitStore, takeFrom } from './store.ts'

testLimitStore('memory', () => createMemoryLimitStore())

test('behavior: units come back with time, the quota at midnight UTC', () => {
  const tally = { full: 0, day: 0, used: 0, at: 0 }
  const limits = { rate: 2, burst: 10, daily: 15 }
  const take = (need: number, now: number) =>
    takeFrom(tally, limits, { debt: 0, need, want: need }, now)
  const noon = Date.UTC(2027, 0, 31, 12)
  expect(take(10, noon).granted).toBe(10)
  expect(take(4, noon)).toMatchObject({ granted: 0, limit: 'rate', retryAfterMs: 2_000 })
  expect(take(4, noon + 2_000).granted).toBe(4)
  expect(take(2, noon + 10_000)).toEqual({
    granted: 0,
    limit: 'daily',
    remaining: 1,
    retryAfterMs: 12 * 3_600_000 - 10_000,
  })
  expect(take(10, Date.UTC(2027, 1, 1)).granted).toBe(10)
})

test('behavior: a clock that is set back keeps no caller waiting, and its quota of the day is used', () => {
  const tally = { full: 0, day: 0, used: 0, at: 0 }
  const take = (need: number, now: number) =>
    takeFrom(tally, { rate: 2, burst: 10, daily: 15 }, { debt: 0, need, want: need }, now)
  const noon = Date.UTC(2027, 0, 31, 12)
  expect(take(10, noon).granted).toBe(10)
  expect(take(4, noon - 3_600_000)).toMatchObject({ granted: 0, retryAfterMs: 2_000 })
  expect(take(4, noon - 3_598_000).granted).toBe(4)
  // A day back, where the clock had been a day ahead.
  expect(take(2, noon - 86_400_000)).toMatchObject({ granted: 0, limit: 'daily' })
})

test('behavior: forgets callers that have their whole burst', () => {
  let now = 1_000_000
  const store = createMemoryLimitStore({ now: () => now })
  const limits = { rate: 1_000, burst: 10 }
  const request = { debt: 0, need: 10, want: 10 }
  for (let id = 0; id < 100_001; id++) void store.take(String(id), limits, request)
  now += 10
  expect(store.take('0', limits, request)).toMatchObject({ granted: 10 })
})

test('behavior: forgets the oldest tenth at once, so that not every new caller looks at all others', () => {
  const store = createMemoryLimitStore()
  const limits = { daily: 10 }
  const request = { debt: 0, need: 10, want: 10 }
  for (let id = 0; id < 100_001; id++) void store.take(String(id), limits, request)
  // The newest is counted although all others have used something.
  for (const id of ['10000', '100000'])
    expect(store.take(id, limits, request)).toMatchObject({ granted: 0 })
  expect(store.take('9999', limits, request)).toMatchObject({ granted: 10 })
})
