import { randomUUID } from 'node:crypto'

import { describe, expect, onTestFinished, test } from 'vitest'

import { explainSkip, redisServerMissing, startRedis } from '../../../test/support/redis.ts'
import type { ChainUpdate, HeadBlock, RecentBlock } from '../../chain/head/headTypes.ts'
import { createRedisLink } from '../../lib/redis.ts'
import { createSharedFloor } from './sharedFloor.ts'

explainSkip(redisServerMissing)

/** A replica whose head the test moves. */
function createReplica(url: string, prefix: string) {
  const redis = createRedisLink({ prefix, url })
  const listeners = new Set<(update: ChainUpdate) => void>()
  let number = 10
  const floor = createSharedFloor({
    head: {
      latest: (): HeadBlock => ({ hash: '0x', number, parentHash: '0x', timestamp: 0 }),
      onUpdate(listener) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    },
    redis,
  })
  return {
    floor,
    redis,
    move(to: number) {
      const tip = { number } as RecentBlock
      const removed = to < number ? [tip] : []
      number = to
      for (const listener of listeners) listener({ removed } as Partial<ChainUpdate> as ChainUpdate)
    },
  }
}

async function start() {
  const server = await startRedis()
  const prefix = randomUUID()
  const replicas = [createReplica(server.url, prefix), createReplica(server.url, prefix)] as const
  onTestFinished(async () => {
    for (const { floor, redis } of replicas) {
      floor.stop()
      await redis.close()
    }
    await server.close()
  })
  await Promise.all(
    replicas.map(({ redis }) => new Promise<void>((resolve) => redis.onStatus(() => resolve()))),
  )
  return replicas
}

describe.skipIf(redisServerMissing !== undefined)('createSharedFloor', () => {
  test('default', async () => {
    const [a, b] = await start()
    await Promise.all([a.floor.reached(), b.floor.reached()])
    a.move(11)
    await expect(a.floor.reached()).resolves.toBeUndefined()
  })

  test('behavior: waits for the block that another replica has shown', async () => {
    const [a, b] = await start()
    a.move(11)
    await a.floor.reached()
    let isThere = false
    const reached = b.floor.reached().then(() => (isThere = true))
    await b.redis.client.ping()
    await b.redis.client.ping()
    expect(isThere).toBe(false)
    b.move(11)
    await reached
    expect(isThere).toBe(true)
  })

  test('behavior: many callers share one read', async () => {
    const [a] = await start()
    const before = await reads(a)
    await Promise.all(Array.from({ length: 200 }, () => a.floor.reached()))
    expect((await reads(a)) - before).toBeLessThanOrEqual(2)
  })

  test('behavior: resolves without Redis', async () => {
    const [a] = await start()
    await a.redis.close()
    await expect(a.floor.reached()).resolves.toBeUndefined()
  })

  test('behavior: a reorg to a lower block lowers it', async () => {
    const [a, b] = await start()
    for (const replica of [a, b]) {
      replica.move(14)
      await replica.floor.reached()
    }
    a.move(12)
    await expect(a.floor.reached()).resolves.toBeUndefined()
    // The other replica follows late: it does not lower what was served since then.
    a.move(13)
    await a.floor.reached()
    b.move(12)
    await expect(b.floor.reached()).rejects.toMatchObject({ code: -32603 })
  })

  test('error: never gets there', async () => {
    const [a, b] = await start()
    a.move(12)
    await a.floor.reached()
    await expect(b.floor.reached()).rejects.toMatchObject({
      code: -32603,
      message: 'another replica has served block 12, which this replica has not reached yet',
    })
  })
})

/** GET commands that the Redis has executed. */
async function reads({ redis }: ReturnType<typeof createReplica>): Promise<number> {
  const text = await redis.client.info('commandstats')
  return Number(/cmdstat_get:calls=(\d+)/.exec(text)?.[1] ?? 0)
}
