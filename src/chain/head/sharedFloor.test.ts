import { randomUUID } from 'node:crypto'

import { describe, expect, onTestFinished, test } from 'vitest'

import { explainSkip, redisServerMissing, startRedis } from '../../../test/support/redis.ts'
import { until } from '../../../test/support/until.ts'
import { createRedisLink } from '../../lib/redis.ts'
import type { RecentBlock } from './headTypes.ts'
import { createSharedFloor } from './sharedFloor.ts'

explainSkip(redisServerMissing)

/** A replica whose head and clock the test moves. While the clock stands, no lease ends by chance. */
function createReplica(url: string, prefix: string) {
  const redis = createRedisLink({ prefix, url })
  const clock: { now: number | 'real' } = { now: 0 }
  let number = 10
  const floor = createSharedFloor({
    isActive: () => true,
    newest: () => number,
    now: () => (clock.now === 'real' ? performance.now() : clock.now),
    redis,
  })
  return {
    clock,
    redis,
    newest: () => number,
    /** Whether it answers without asking Redis. */
    answersAtOnce: () => floor.reached() === undefined,
    reached: async () => floor.reached(),
    async move(to: number) {
      const removed = to < number ? [{ number } as RecentBlock] : []
      await floor.prepare({ added: [{ number: to } as RecentBlock], removed })
      number = to
      floor.moved()
    },
    stop: () => floor.stop(),
  }
}

async function start(count = 2) {
  const server = await startRedis()
  const prefix = randomUUID()
  const replicas = Array.from({ length: count }, () => createReplica(server.url, prefix))
  onTestFinished(async () => {
    for (const { redis, stop } of replicas) {
      stop()
      await redis.close()
    }
    await server.close()
  })
  await Promise.all(
    replicas.map(({ redis }) => new Promise<void>((resolve) => redis.onStatus(() => resolve()))),
  )
  return replicas as [Replica, Replica, ...Replica[]]
}

type Replica = ReturnType<typeof createReplica>

describe.skipIf(redisServerMissing !== undefined)('createSharedFloor', () => {
  test('default: a call takes a lease; calls with the lease do not ask Redis', async () => {
    const [a] = await start()
    expect(a.answersAtOnce()).toBe(false)
    await a.reached()
    const before = await reads(a)
    for (let call = 0; call < 200; call++) expect(a.answersAtOnce()).toBe(true)
    expect(await reads(a)).toBe(before)
  })

  test('behavior: many callers share one read', async () => {
    const [a] = await start()
    const before = await reads(a)
    await Promise.all(Array.from({ length: 200 }, () => a.reached()))
    // One script, which reads two keys.
    expect((await reads(a)) - before).toBe(2)
  })

  test('behavior: a lease in use is renewed before it ends', async () => {
    const [a] = await start()
    await a.reached()
    a.clock.now = 200
    expect(a.answersAtOnce()).toBe(true)
    // The answer of the renewal comes before those of later commands.
    await a.redis.client.ping()
    await a.redis.client.ping()
    a.clock.now = 400
    expect(a.answersAtOnce()).toBe(true)
    a.clock.now = 900
    expect(a.answersAtOnce()).toBe(false)
  })

  test('behavior: waits for the block that another replica has shown', async () => {
    const [a, b] = await start()
    await a.move(11)
    let isThere = false
    const reached = b.reached().then(() => (isThere = true))
    await b.redis.client.ping()
    await b.redis.client.ping()
    expect(isThere).toBe(false)
    await b.move(11)
    await reached
    expect(isThere).toBe(true)
  })

  test('behavior: a replica that stood still reads what Redis has answered meanwhile', async () => {
    const [a, b] = await start()
    await a.move(11)
    b.clock.now = 'real'
    let isThere = false
    const reached = b.reached().then(() => (isThere = true))
    // Longer than the time that a command may take, as after SIGSTOP: the event loop finds all timers over and the answer unread.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_300)
    await new Promise((resolve) => setTimeout(resolve, 50))
    for (let command = 0; command < 4; command++) await b.redis.client.ping()
    expect(isThere).toBe(false)
    await b.move(11)
    await reached
  })

  test('behavior: a block is shown when no other replica has a lease for an older one', async () => {
    const [a, b] = await start()
    await b.reached()
    expect(b.answersAtOnce()).toBe(true)
    let isShown = false
    const shown = a.move(11).then(() => (isShown = true))
    await a.redis.client.ping()
    await a.redis.client.ping()
    expect(isShown).toBe(false)
    // The other one gets the block: it ends its lease, and asks before each answer until it shows the block.
    const follows = b.move(11)
    expect(b.answersAtOnce()).toBe(false)
    await Promise.all([shown, follows])
    await b.reached()
    expect(b.answersAtOnce()).toBe(true)
  })

  test('behavior: a replica that was killed delays a block until its lease ends', async () => {
    const [a, b] = await start()
    await b.reached()
    await b.redis.close()
    await a.move(11)
    expect(await a.redis.client.get(a.redis.key('head:floor'))).toBe('11')
  })

  test('behavior: no lease for a replica that has not got the next block yet', async () => {
    const [a, b, c] = (await start(3)) as [Replica, Replica, Replica]
    await b.reached()
    const shown = a.move(11)
    await a.redis.client.ping()
    await a.redis.client.ping()
    await c.reached()
    expect(c.answersAtOnce()).toBe(false)
    await Promise.all([b.move(11), shown])
  })

  test('behavior: no answer is older than one that was given before, in any order of events', async () => {
    const replicas = await start(3)
    for (const { clock } of replicas) clock.now = 'real'
    let shown = 10
    let next = 10
    const end = { isNow: false }
    const reading = replicas.map(async (replica) => {
      while (!end.isNow) {
        const before = shown
        await replica.reached()
        expect(replica.newest()).toBeGreaterThanOrEqual(before)
        shown = Math.max(shown, replica.newest())
        await (Math.random() < 0.5 ? replica.redis.client.ping() : undefined)
      }
    })
    const deadline = performance.now() + 1_000
    while (performance.now() < deadline) {
      next++
      // Replicas get the block in any order, some of them while others prepare it.
      await Promise.all(
        replicas.map(async (replica) => {
          for (let pause = Math.random() * 4; pause > 1; pause--) await replica.redis.client.ping()
          await replica.move(next)
        }),
      )
    }
    end.isNow = true
    await Promise.all(reading)
    expect(next).toBeGreaterThan(11)
  })

  test('behavior: resolves without Redis', async () => {
    const [a] = await start()
    await a.redis.close()
    await until(() => expect(a.redis.status()).toBe('down'))
    expect(a.answersAtOnce()).toBe(true)
    await a.move(11)
  })

  test('behavior: calls do not wait for a Redis that hangs; when it answers again, they ask it', async () => {
    const [a] = await start()
    const { client } = a.redis
    // Also for the connection of the replica itself.
    await client.client('PAUSE', 1_500, 'ALL')
    let isBack = false
    const back = client.ping().then(() => (isBack = true))
    await a.reached()
    expect(a.answersAtOnce()).toBe(true)
    expect(isBack).toBe(false)
    await back
    // Answers at once and asks in the background.
    a.answersAtOnce()
    await client.ping()
    await client.ping()
    a.clock.now = 1_000
    expect(a.answersAtOnce()).toBe(false)
  })

  test('behavior: a reorg to a lower block lowers it', async () => {
    const [a, b] = await start()
    for (const replica of [a, b]) await replica.move(14)
    await a.move(12)
    await expect(a.reached()).resolves.toBeUndefined()
    // The other replica follows late: it does not lower what was served since then.
    await a.move(13)
    await b.move(12)
    await expect(b.reached()).rejects.toMatchObject({ code: -32603 })
  })

  test('error: never gets there', async () => {
    const [a, b] = await start()
    await a.move(12)
    await expect(b.reached()).rejects.toMatchObject({
      code: -32603,
      message: 'another replica has served block 12, which this replica has not reached yet',
    })
  })
})

/** GET commands that the Redis has executed. */
async function reads({ redis }: Pick<Replica, 'redis'>): Promise<number> {
  const text = await redis.client.info('commandstats')
  return Number(/cmdstat_get:calls=(\d+)/.exec(text)?.[1] ?? 0)
}
