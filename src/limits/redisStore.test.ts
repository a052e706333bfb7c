import { randomBytes } from 'node:crypto'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import {
  explainSkip,
  redisMissing,
  redisServerMissing,
  someRedis,
  startRedis,
} from '../../test/support/redis.ts'
import { until } from '../../test/support/until.ts'
import { createRedisLink, type RedisLink } from '../lib/redis.ts'
import { createLimiter } from './limiter.ts'
import { createRedisLimitStore } from './redisStore.ts'
import { createSharedLimitStore } from './sharedStore.ts'
import { testLimitStore } from './store.contract.ts'

explainSkip(redisMissing)

const FULL = { debt: 0, need: 10, want: 10 }
const LIMITS = { rate: 0.001, burst: 30 }

function connect(url: string): RedisLink {
  return createRedisLink({ prefix: randomBytes(6).toString('hex'), url })
}

async function ready(link: RedisLink) {
  await until(() => expect(link.status()).toBe('up'))
}

describe.skipIf(redisMissing)('with Redis', () => {
  let redis: Awaited<ReturnType<typeof someRedis>>
  const links: RedisLink[] = []
  let first: RedisLink
  beforeAll(async () => {
    redis = await someRedis()
    first = connect(redis.url)
    links.push(first)
    await ready(first)
  })
  afterAll(async () => {
    for (const link of links) await link.close()
    await redis.close()
  })

  // Each store has keys of its own.
  testLimitStore('redis', () => {
    const prefix = randomBytes(6).toString('hex')
    return createRedisLimitStore({
      link: { key: (name) => `{${prefix}}:${name}`, script: (lua) => first.script(lua) },
    })
  })

  test('behavior: a clock of Redis that is set back keeps no caller waiting', async () => {
    const store = createRedisLimitStore({ link: first })
    const take = async () => (await store.take('back', { rate: 1_000, burst: 10 }, FULL)).granted
    expect(await take()).toBe(10)
    // As after an hour in which the clock of Redis was ahead.
    for (const field of ['full', 'at'])
      await first.client.hincrbyfloat(first.key('caller:back'), field, 3_600_000)
    await until(async () => expect(await take()).toBe(10))
  })

  test('behavior: an answer of Redis that a busy process reads late came in time', async () => {
    const changes: boolean[] = []
    const store = createSharedLimitStore({
      link: first,
      onChange: (isShared) => changes.push(isShared),
      announceInterval: 60_000,
      patience: 500,
      withoutRedis: 'local',
    })
    const grant = store.take('busy', LIMITS, FULL)
    for (const busyUntil = Date.now() + 600; Date.now() < busyUntil;);
    expect(await grant).toMatchObject({ granted: 10, remaining: 20 })
    expect(changes).toEqual([])
    store.stop()
  })

  test('behavior: three replicas together grant the rate, within 5 %', async () => {
    // A pause of up to 10 s, as on a busy machine, loses nothing of the rate.
    const limits = { rate: 200, burst: 2_000 }
    const caller = { id: 'key:all', scope: 'key' as const, limits }
    const limiters = Array.from({ length: 3 }, () =>
      createLimiter({ store: createRedisLimitStore({ link: first }) }),
    )
    const clock = async () => {
      const [seconds, micros] = await first.client.time()
      return Number(seconds) + Number(micros) / 1e6
    }
    const grantedUntil = (time: number) => limits.burst + limits.rate * (time - started)
    const started = await clock()
    let allowed = 0
    let before = started
    for (let refused = 0; refused === 0 || before < started + 2;) {
      before = await clock()
      const outcomes = await Promise.all(
        limiters.flatMap((limiter) =>
          Array.from({ length: 100 }, async () => limiter.take(caller, 1)),
        ),
      )
      refused = outcomes.filter((outcome) => outcome !== undefined).length
      allowed += outcomes.length - refused
    }
    // The last round took all that was left.
    expect(allowed).toBeGreaterThan(grantedUntil(before) * 0.95)
    expect(allowed).toBeLessThanOrEqual(grantedUntil(await clock()))
    await Promise.all(limiters.map((limiter) => limiter.stop()))
  })
})

describe.skipIf(redisServerMissing)('without Redis', () => {
  test.each([
    // The burst of 30, less what Redis granted.
    ['local', [10, 10, 0, 0]],
    ['open', [10, 10, 10, 10]],
  ] as const)('behavior: %s', async (withoutRedis, granted) => {
    const redis = await startRedis({ durable: false })
    const link = connect(redis.url)
    await ready(link)
    const changes: boolean[] = []
    const store = createSharedLimitStore({
      link,
      onChange: (isShared) => changes.push(isShared),
      announceInterval: 20,
      // A slow machine is not a lost Redis.
      patience: 5_000,
      withoutRedis,
    })
    expect(await store.take('a', LIMITS, FULL)).toMatchObject({ granted: 10 })
    await redis.stop()
    await expect.poll(() => store.isShared()).toBe(false)
    const grants = []
    for (let index = 0; index < 4; index++)
      grants.push((await store.take('a', LIMITS, FULL)).granted)
    expect(grants).toEqual(granted)
    await redis.start()
    await expect.poll(() => store.isShared()).toBe(true)
    expect(changes).toEqual([false, true])
    store.stop()
    await link.close()
    await redis.close()
  })

  test('behavior: closed fails, and is not a refusal', async () => {
    const redis = await startRedis({ durable: false })
    const link = connect(redis.url)
    await ready(link)
    const store = createSharedLimitStore({
      link,
      onChange() {},
      announceInterval: 20,
      // A slow machine is not a lost Redis.
      patience: 5_000,
      withoutRedis: 'closed',
    })
    await redis.stop()
    await expect.poll(() => store.isShared()).toBe(false)
    await expect(store.take('a', LIMITS, FULL)).rejects.toThrow(
      'the shared store (Redis) is unavailable',
    )
    store.stop()
    await link.close()
    await redis.close()
  })

  test('behavior: the part of one replica of two', async () => {
    const redis = await startRedis({ durable: false })
    const link = connect(redis.url)
    await ready(link)
    const options = { link, onChange() {}, announceInterval: 20, withoutRedis: 'local' as const }
    const stores = [createSharedLimitStore(options), createSharedLimitStore(options)]
    const announced = async () => {
      const replicas = await link.client.zrange(link.key('replicas'), '0', '-1', 'WITHSCORES')
      const [, first = '0', , second = '0'] = replicas
      return Math.min(Number(first), Number(second))
    }
    await expect.poll(announced).toBeGreaterThan(0)
    // An announcement after that of the other one counts both, and has an answer before the one that follows it.
    const both = await announced()
    await expect.poll(announced).toBeGreaterThan(both + 100)
    await redis.stop()
    await expect.poll(() => stores.every((store) => !store.isShared())).toBe(true)
    const grants = []
    for (let index = 0; index < 2; index++)
      grants.push((await stores[0]?.take('a', LIMITS, FULL))?.granted)
    expect(grants).toEqual([10, 0])
    for (const store of stores) store.stop()
    await link.close()
    await redis.close()
  })

  test('behavior: a Redis that hangs is not waited for', async () => {
    const hanging = {
      key: (name: string) => name,
      script: () => () => new Promise<never>(() => {}),
    }
    const store = createSharedLimitStore({
      link: { ...hanging, onStatus: () => () => {}, status: () => 'up' },
      onChange() {},
      patience: 5,
      withoutRedis: 'local',
    })
    expect(await store.take('a', LIMITS, FULL)).toMatchObject({ granted: 10 })
    expect(store.isShared()).toBe(false)
    store.stop()
  })
})
