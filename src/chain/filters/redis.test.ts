import { randomUUID } from 'node:crypto'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import {
  ageFilters,
  explainSkip,
  redisMissing,
  redisServerMissing,
  someRedis,
  startRedis,
} from '../../../test/support/redis.ts'
import { createRedisLink, type RedisLink } from '../../lib/redis.ts'
import { createRedisFilterStore } from './redis.ts'
import { createRedisCounts } from './redisCounts.ts'
import { describeFilterStore } from './store.contract.ts'

explainSkip(redisMissing)

let redis: Awaited<ReturnType<typeof someRedis>>
beforeAll(async () => {
  if (!redisMissing) redis = await someRedis()
})
afterAll(() => redis?.close())

async function connect(url: string): Promise<RedisLink> {
  const link = createRedisLink({ url, prefix: `test:${randomUUID()}` })
  await new Promise<void>((resolve) => {
    link.onStatus((status) => status === 'up' && resolve())
  })
  return link
}

describeFilterStore(
  'createRedisFilterStore',
  async (limits) => {
    const link = await connect(redis.url)
    const store = createRedisFilterStore({ ...limits, link })
    return {
      store,
      pass: (milliseconds) => ageFilters(link, store, milliseconds),
      close: () => link.close(),
    }
  },
  redisMissing !== undefined,
)

const limits = { bytesPerClient: 9_000, bytesTotal: 9_000, lease: 300, perClient: 2, total: 2 }

describe.skipIf(redisMissing !== undefined)('createRedisFilterStore in Redis', () => {
  test('behavior: every key has a lifetime and the same hash tag', async () => {
    const link = await connect(redis.url)
    const store = createRedisFilterStore({ ...limits, link, ttl: 60_000 })
    const id = await store.create(
      { client: '::1' },
      { spec: { kind: 'blocks', view: 'full' }, cursor: '' },
    )
    await store.claim(id, 'one', 'nothing')
    const keys = await link.client.keys(`${link.key('')}*`)
    expect(keys).toHaveLength(4)
    for (const key of keys) expect(await link.client.pttl(key)).toBeGreaterThan(0)
    await link.close()
  })

  test('behavior: a filter of an older version is polled, committed and counted', async () => {
    const link = await connect(redis.url)
    const store = createRedisFilterStore({ ...limits, link, ttl: 60_000 })
    const { client } = link
    const spec = { kind: 'blocks', view: 'full' } as const
    const soon = Date.now() + 1_000
    // What version 0.4.0 writes.
    await client.hset(link.key('filter:0x1'), { cursor: '1:0x01', spec: JSON.stringify(spec) })
    await client.zadd(link.key('filters'), soon, '0x1')
    await client.hset(link.key('filters:owners'), '0x1', '550 a')
    await client.hset(link.key('filters:usage'), { bytes: 550, 'bytes a': 550, 'count a': 1 })
    expect(await store.claim('0x1', 'one', '')).toEqual({
      spec,
      cursor: '1:0x01',
      state: 'claimed',
    })
    expect(await store.commit('0x1', 'one', '1:0x01', '2:0x02')).toBe(true)
    await store.flush()
    expect(store.usage()).toMatchObject({ bytes: 550, filters: 1 })
    expect(Number(await client.zscore(link.key('filters'), '0x1'))).toBeGreaterThan(soon)
    expect(await store.remove('0x1')).toBe(true)
    expect(store.usage()).toMatchObject({ bytes: 0, filters: 0 })
    await link.close()
  })

  test('behavior: a count without a filter expires, a filter without a count is counted again', async () => {
    const link = await connect(redis.url)
    const options = { ...limits, link, name: 'filter', ttl: 60_000 }
    const store = createRedisFilterStore(options)
    const counts = createRedisCounts({ ...options, ownerOf: async () => undefined })
    const create = () =>
      store.create({ client: 'a' }, { spec: { kind: 'blocks', view: 'full' }, cursor: '1:' })
    const id = await create()
    // A replica that dies before it creates its filter.
    await counts.reserve('0x2', '550 a', 2)
    await expect(create()).rejects.toMatchObject({ code: -32005 })
    await ageFilters(link, store, 40_000)
    await store.claim(id, 'one', '1:')
    await ageFilters(link, store, 40_000)
    expect(await create()).toMatch(/^0x/)
    // A server that has lost its last writes.
    await link.client.del(['', ':owners', ':usage'].map((part) => link.key(`filters${part}`)))
    await store.claim(id, 'two', '1:')
    await store.flush()
    expect(store.usage()).toMatchObject({ filters: 1 })
    await link.close()
  })

  test('behavior: a filter is counted again also when more counts have expired than one script drops', async () => {
    const link = await connect(redis.url)
    const store = createRedisFilterStore({ ...limits, link, ttl: 60_000 })
    const id = await store.create(
      { client: 'a' },
      { spec: { kind: 'blocks', view: 'full' }, cursor: '1:' },
    )
    await link.client.del(['', ':owners', ':usage'].map((part) => link.key(`filters${part}`)))
    const expired = Array.from({ length: 1_200 }, (_, index) => [1, `expired ${index}`]).flat()
    await link.client.zadd(link.key('filters'), ...expired)
    await store.claim(id, 'one', '1:')
    await store.flush()
    expect(await link.client.zscore(link.key('filters'), id)).not.toBeNull()
    await link.close()
  })

  test('behavior: a filter that another replica removes after its poll does not count', async () => {
    const link = await connect(redis.url)
    const [a, b] = [1, 2].map(() => createRedisFilterStore({ ...limits, link, ttl: 60_000 }))
    const id = await a?.create(
      { client: 'a' },
      { spec: { kind: 'blocks', view: 'full' }, cursor: '1:' },
    )
    await a?.claim(String(id), 'one', '1:')
    expect(await b?.remove(String(id))).toBe(true)
    await a?.flush()
    expect(a?.usage()).toMatchObject({ bytes: 0, filters: 0 })
    await link.close()
  })

  test.skipIf(redisServerMissing !== undefined)(
    'error: reports an unreachable Redis, and works again when it is back',
    async () => {
      const own = await startRedis()
      const link = await connect(own.url)
      const store = createRedisFilterStore({ ...limits, link, ttl: 9_000 })
      const id = await store.create(
        { client: 'a' },
        { spec: { kind: 'blocks', view: 'full' }, cursor: '1:' },
      )
      await own.stop()
      await expect(store.claim(id, 'one', '')).rejects.toMatchObject({
        code: -32603,
        message: 'the shared store (Redis) is unavailable, try again later',
      })
      const back = new Promise<void>((resolve) => {
        link.onStatus((status) => status === 'up' && resolve())
      })
      await own.start()
      await back
      expect((await store.claim(id, 'one', ''))?.state).toBe('claimed')
      await link.close()
      await own.close()
    },
  )
})
