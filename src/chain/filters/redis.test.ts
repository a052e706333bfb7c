import { randomUUID } from 'node:crypto'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import {
  AGE_KEYS,
  explainSkip,
  redisMissing,
  redisServerMissing,
  someRedis,
  startRedis,
} from '../../../test/support/redis.ts'
import { createRedisLink, type RedisLink } from '../../lib/redis.ts'
import { createRedisFilterStore } from './redis.ts'
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
    return {
      store: createRedisFilterStore({ ...limits, link }),
      async pass(milliseconds) {
        await link.client.eval(AGE_KEYS, 1, link.key(''), milliseconds)
      },
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
