import { describe, expect, test, vi } from 'vitest'

import type { Call } from '../../lib/call.ts'
import { ENDPOINT_RATE } from '../upstream.ts'
import { createLimiter, QueueFullError } from './limiter.ts'

const A = '/wallet/a'
const B = '/wallet/b'

type Options = { places?: number; rate?: number | 'unlimited'; share?: () => number }

function create({ places = 2, rate, share }: Options = {}) {
  const clock = { now: 0 }
  const limiter = createLimiter({
    concurrency: { limit: () => places },
    now: () => clock.now,
    rate,
    share,
  })
  return { clock, limiter }
}

describe('createLimiter', () => {
  test('default', async () => {
    const { limiter } = create()
    expect(limiter.enter(A, 1_000, undefined)).toBeUndefined()
    expect(limiter.enter(A, 1_000, undefined)).toBeUndefined()
    const order: number[] = []
    const third = limiter.enter(A, 1_000, undefined)?.then(() => order.push(3))
    const fourth = limiter.enter(B, 1_000, undefined)?.then(() => order.push(4))
    expect([limiter.inFlight(), limiter.queued()]).toEqual([2, 2])
    limiter.leave()
    limiter.leave()
    await Promise.all([third, fourth])
    expect(order).toEqual([3, 4])
    expect([limiter.inFlight(), limiter.queued()]).toEqual([2, 0])
  })

  test('error: a call that was aborted does not wait', async () => {
    const { limiter } = create({ places: 1 })
    void limiter.enter(A, 1_000, undefined)
    const reason = new Error('gone')
    await expect(limiter.enter(A, 1_000, { signal: AbortSignal.abort(reason) })).rejects.toBe(
      reason,
    )
    expect(limiter.queued()).toBe(0)
  })

  test('behavior: callers that wait get places in turn', async () => {
    const { limiter } = create({ places: 1 })
    const [heavy, light] = [caller('heavy'), caller('light')]
    void limiter.enter(A, 1_000, heavy)
    const order: string[] = []
    const enter = async (name: string, caller: Call) => {
      await limiter.enter(A, 1_000, caller)
      order.push(name)
      limiter.leave()
    }
    const all = [enter('h1', heavy), enter('h2', heavy), enter('h3', heavy), enter('l1', light)]
    limiter.leave()
    await Promise.all(all)
    expect(order).toEqual(['h1', 'l1', 'h2', 'h3'])
  })

  test('behavior: a caller with few calls is not refused because another one has many', async () => {
    const { clock, limiter } = create({ places: 1 })
    const [heavy, light] = [caller('heavy'), caller('light')]
    void limiter.enter(A, 1_000, heavy)
    const waiting = Array.from({ length: 100 }, async () => limiter.enter(A, 1_000, heavy))
    const settled = Promise.allSettled(waiting)
    // One call a second ends.
    clock.now += 1_000
    limiter.leave()
    await expect(limiter.enter(A, 10_000, heavy)).rejects.toThrow('too many calls wait')
    const entered = limiter.enter(A, 10_000, light)
    for (let call = 0; call < 101; call++) {
      limiter.leave()
      await Promise.resolve()
    }
    await entered
    await settled
  })

  test('behavior: a call whose client is gone is never started', async () => {
    const { limiter } = create({ places: 1 })
    void limiter.enter(A, 1_000, undefined)
    const client = new AbortController()
    const waiting = limiter.enter(A, 1_000, client)
    client.abort(new Error('gone'))
    await expect(waiting).rejects.toThrow('gone')
    limiter.leave()
    expect([limiter.inFlight(), limiter.queued()]).toEqual([0, 0])
  })

  test('behavior: as shipped a node takes so many calls a second of each operation', () => {
    const { clock, limiter } = create({ places: 10_000 })
    let taken = 0
    for (clock.now = 0; clock.now < 10_000; clock.now += 5)
      while (limiter.free(A)) taken += limiter.enter(A, 0, undefined) === undefined ? 1 : 0
    expect(taken / 10).toBeGreaterThan(ENDPOINT_RATE * 0.98)
    expect(taken / 10).toBeLessThan(ENDPOINT_RATE * 1.02)
    expect(limiter.free(B)).toBe(true)
    expect(limiter.used()).toBeCloseTo(1, 1)
  })

  test('args: rate, for all operations together', () => {
    const { limiter } = create({ rate: 10 })
    expect(limiter.free(A)).toBe(true)
    void limiter.enter(A, 0, undefined)
    expect([limiter.free(A), limiter.free(B)]).toEqual([false, false])
  })

  test('args: share, which changes', () => {
    let share = 0.25
    const { clock, limiter } = create({ places: 10_000, rate: 100, share: () => share })
    const takenInASecond = () => {
      let taken = 0
      for (const end = clock.now + 1_000; clock.now < end; clock.now += 5)
        while (limiter.free(A)) taken += limiter.enter(A, 0, undefined) === undefined ? 1 : 0
      return taken
    }
    takenInASecond()
    expect(takenInASecond()).toBe(25)
    share = 0.75
    expect(takenInASecond()).toBe(75)
    share = 0.1
    takenInASecond()
    expect(takenInASecond()).toBe(10)
    expect(limiter.used()).toBe(1)
  })

  test('args: rate, unlimited', () => {
    const { limiter } = create({ places: 5_000, rate: 'unlimited' })
    for (let call = 0; call < 5_000; call++) expect(limiter.enter(A, 0, undefined)).toBeUndefined()
    expect(limiter.used()).toBeUndefined()
  })

  test('behavior: a node that refuses gets less for a while', () => {
    const { clock, limiter } = create({ rate: 100 })
    limiter.slowDown(A)
    expect(limiter.free(A)).toBe(false)
    clock.now += 15
    expect(limiter.free(A)).toBe(false)
    clock.now += 15
    expect(limiter.free(A)).toBe(true)
  })

  test('behavior: an operation that is over its rate does not hold up another', async () => {
    const { limiter } = create({ places: 1_000 })
    while (limiter.free(A)) void limiter.enter(A, 0, undefined)
    const late = limiter.enter(A, 60_000, undefined)
    const other = limiter.enter(B, 60_000, undefined)
    await other
    expect(limiter.queued()).toBe(1)
    late?.catch(() => {})
  })

  test('behavior: who leaves frees the place in the queue', async () => {
    const { limiter } = create({ places: 1 })
    void limiter.enter(A, 1_000, undefined)
    const controller = new AbortController()
    const waiting = limiter.enter(A, 1_000, controller)
    controller.abort(new Error('gone'))
    await expect(waiting).rejects.toThrow('gone')
    expect(limiter.queued()).toBe(0)
  })

  test('error: waited too long', async () => {
    const { limiter } = create({ places: 1 })
    void limiter.enter(A, 1_000, undefined)
    await expect(limiter.enter(A, 1, undefined)).rejects.toMatchObject({
      code: -32005,
      data: { retryAfter: 1 },
    })
    expect(limiter.queued()).toBe(0)
  })

  test('error: the queue moves too slowly to wait', async () => {
    const { clock, limiter } = create({ places: 1 })
    void limiter.enter(A, 1_000, undefined)
    const waiting = Array.from({ length: 100 }, () => limiter.enter(A, 60_000, undefined))
    for (let ended = 0; ended < 10; ended++) {
      clock.now += 100
      limiter.leave()
    }
    const refusal = vi.fn<(error: unknown) => void>()
    await limiter.enter(A, 5_000, undefined)?.catch(refusal)
    expect(refusal).toHaveBeenCalledWith(expect.any(QueueFullError))
    expect(refusal.mock.calls[0]?.[0]).toMatchObject({ data: { retryAfter: 9 } })
    for (const one of waiting) one?.catch(() => {})
  })
})

/** A call of a caller. */
function caller(id: string): Call {
  return { caller: { id, limits: {} } }
}
