import { describe, expect, test } from 'vitest'

import type { Limits } from './caller.ts'
import { createLimiter } from './limiter.ts'
import { LimitReachedError } from './refusal.ts'
import type { LimitStore } from './store.ts'

const DAILY: Limits = { daily: 100 }
/** So slow that nothing comes back during a test. */
const RATE: Limits = { rate: 0.01, burst: 10 }

/** What every store does. @param store - a new one for each test, in which nothing is counted */
export function testLimitStore(name: string, open: () => LimitStore): void {
  const key = (id: string, rate: Limits) => ({
    id: `key:${id}`,
    scope: 'key' as const,
    limits: rate,
  })

  describe(`${name}: store`, () => {
    test('default', async () => {
      const store = open()
      const first = await store.take('a', RATE, { debt: 0, need: 2, want: 4 })
      expect(first).toMatchObject({ granted: 4, limit: 'rate', retryAfterMs: 0 })
      expect(first.remaining).toBeCloseTo(6, 1)
    })

    test('behavior: grants what is left, and nothing below the need', async () => {
      const store = open()
      await store.take('a', RATE, { debt: 0, need: 8, want: 8 })
      const rest = await store.take('a', RATE, { debt: 0, need: 1, want: 50 })
      expect(rest.granted).toBeCloseTo(2, 1)
      const refused = await store.take('a', RATE, { debt: 0, need: 4, want: 4 })
      expect(refused.granted).toBe(0)
      // Four units come back in 400 seconds.
      expect(refused.retryAfterMs).toBeGreaterThan(300_000)
      expect(refused.retryAfterMs).toBeLessThanOrEqual(400_000)
      // The refusal charged nothing.
      const again = await store.take('a', RATE, { debt: 0, need: 4, want: 4 })
      expect(again.retryAfterMs).toBeLessThanOrEqual(refused.retryAfterMs)
    })

    test('behavior: debt is charged in any case, and comes back', async () => {
      const store = open()
      const broke = await store.take('a', RATE, { debt: 30, need: 1, want: 1 })
      expect(broke.granted).toBe(0)
      expect(broke.remaining).toBeCloseTo(-20, 1)
      const rich = await store.take('a', RATE, { debt: -25, need: 1, want: 1 })
      expect(rich.granted).toBe(1)
      // No more than a whole burst comes back.
      await store.take('a', RATE, { debt: -500, need: 0, want: 0 })
      const whole = await store.take('a', RATE, { debt: 0, need: 11, want: 11 })
      expect(whole.granted).toBe(0)
      expect(whole.remaining).toBeCloseTo(10, 1)
    })

    test('behavior: several limits at once', async () => {
      const store = open()
      const both = { ...DAILY, rate: 1, burst: 1_000 }
      const some = await store.take('a', both, { debt: 0, need: 1, want: 60 })
      expect(some).toMatchObject({ granted: 60, limit: 'daily', remaining: 40 })
      const refused = await store.take('a', both, { debt: 0, need: 50, want: 50 })
      expect(refused).toMatchObject({ granted: 0, limit: 'daily', remaining: 40 })
      expect(refused.retryAfterMs).toBeLessThanOrEqual(86_400_000)
      // The rate was not charged either.
      const rest = await store.take('a', { rate: 1, burst: 1_000 }, { debt: 0, need: 0, want: 1e6 })
      expect(rest.granted).toBeCloseTo(940, 0)
    })

    test('behavior: callers do not share', async () => {
      const store = open()
      await store.take('a', DAILY, { debt: 0, need: 100, want: 100 })
      expect(await store.take('b', DAILY, { debt: 0, need: 100, want: 100 })).toMatchObject({
        granted: 100,
      })
    })
  })

  describe(`${name}: limiter`, () => {
    test('default', async () => {
      const limiter = createLimiter({ store: open() })
      const caller = key('a', { rate: 0.01, burst: 10 })
      for (let call = 0; call < 5; call++) expect(await limiter.take(caller, 2)).toBeUndefined()
      const refused = await limiter.take(caller, 2)
      expect(refused).toBeInstanceOf(LimitReachedError)
      expect(refused?.data).toMatchObject({ limit: 'rate', scope: 'key' })
      await limiter.stop()
    })

    test('behavior: concurrent calls get exactly the burst', async () => {
      const limiter = createLimiter({ store: open() })
      const caller = key('b', { rate: 0.01, burst: 100 })
      const calls = Array.from({ length: 300 }, async () => limiter.take(caller, 1))
      const outcomes = await Promise.all(calls)
      expect(outcomes.filter((outcome) => outcome === undefined)).toHaveLength(100)
      await limiter.stop()
    })

    test('behavior: units of one lease are here without a promise', async () => {
      const limiter = createLimiter({ store: open() })
      const caller = key('c', { rate: 1_000, burst: 1_000 })
      await limiter.take(caller, 1)
      expect(limiter.take(caller, 1)).toBeUndefined()
      await limiter.stop()
    })

    test('behavior: debt must come back first', async () => {
      const limiter = createLimiter({ store: open() })
      const caller = key('d', { rate: 1, burst: 20 })
      expect(await limiter.take(caller, 1)).toBeUndefined()
      limiter.charge(caller, 99)
      const refused = await limiter.take(caller, 1)
      expect(refused?.retryAfterMs).toBeGreaterThan(70_000)
      expect(refused?.retryAfterMs).toBeLessThanOrEqual(81_000)
      // No call is affordable, which is known without asking the store.
      await limiter.take(caller, 0.05)
      expect(limiter.refusal(caller)).toBeInstanceOf(LimitReachedError)
      await limiter.stop()
    })

    test('behavior: the lease of an idle caller goes back', async () => {
      const store = open()
      const limiter = createLimiter({ returnAfter: 10, store })
      const caller = key('e', { daily: 100_000 })
      await limiter.take(caller, 1)
      await expect
        .poll(
          async () =>
            (await store.take(caller.id, caller.limits, { debt: 0, need: 0, want: 0 })).remaining,
        )
        .toBe(99_999)
      await limiter.stop()
    })

    test('behavior: the debt of an idle caller stays when it cannot be paid', async () => {
      const store = open()
      const refused = { asked: 0 }
      const limiter = createLimiter({
        returnAfter: 10,
        store: {
          take(id, limits, request) {
            // When the limiter returns the lease of an idle caller, it requests no units.
            if (request.want > 0 || refused.asked++ > 0) return store.take(id, limits, request)
            return Promise.reject(new Error('the store does not answer'))
          },
        },
      })
      const caller = key('g', { daily: 100_000 })
      await limiter.take(caller, 1)
      limiter.charge(caller, 40_000)
      await expect
        .poll(
          async () =>
            (await store.take(caller.id, caller.limits, { debt: 0, need: 0, want: 0 })).remaining,
        )
        .toBe(59_999)
      expect(refused.asked).toBeGreaterThan(1)
      await limiter.stop()
    })

    test('behavior: a caller without limits makes no request to the store', () => {
      const limiter = createLimiter({
        store: {
          take() {
            throw new Error('asked')
          },
        },
      })
      expect(limiter.take(key('f', {}), 1e9)).toBeUndefined()
      limiter.charge(key('f', {}), 1e9)
    })
  })
}
