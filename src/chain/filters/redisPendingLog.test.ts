import { randomUUID } from 'node:crypto'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { explainSkip, redisMissing, someRedis } from '../../../test/support/redis.ts'
import { createRedisLink, type RedisLink } from '../../lib/redis.ts'
import { describePendingLog } from './pendingLog.contract.ts'
import { createRedisPendingLog } from './redisPendingLog.ts'

explainSkip(redisMissing)

let redis: Awaited<ReturnType<typeof someRedis>>
const links: RedisLink[] = []
beforeAll(async () => {
  if (!redisMissing) redis = await someRedis()
})
afterAll(async () => {
  for (const link of links) await link.close()
  await redis?.close()
})

async function connect(): Promise<RedisLink> {
  const link = createRedisLink({ url: redis.url, prefix: `test:${randomUUID()}` })
  links.push(link)
  await new Promise<void>((resolve) => {
    link.onStatus((status) => status === 'up' && resolve())
  })
  return link
}

describePendingLog(
  'createRedisPendingLog',
  async (options) => createRedisPendingLog(await connect(), options),
  redisMissing !== undefined,
)

describe.skipIf(redisMissing !== undefined)('createRedisPendingLog in Redis', () => {
  test('behavior: every key has a lifetime and the same hash tag', async () => {
    const link = await connect()
    const log = createRedisPendingLog(link)
    await log.append([`0x${'01'.repeat(32)}`])
    await log.want(60_000, 1)
    const keys = await link.client.keys(`${link.key('')}*`)
    expect(keys).toHaveLength(3)
    for (const key of keys) expect(await link.client.pttl(key)).toBeGreaterThan(0)
  })
})
