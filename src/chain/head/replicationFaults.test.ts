import { Redis } from 'ioredis'
import { describe, expect, test as base } from 'vitest'

import {
  explainSkip,
  redisServerMissing,
  startRedis,
  type TestRedis,
} from '../../../test/support/redis.ts'
import {
  createReplicaGroup,
  hashesAfter,
  type ReplicaGroup,
} from '../../../test/support/replicaGroup.ts'
import { startTcpProxy } from '../../../test/support/tcpProxy.ts'
import { until } from '../../../test/support/until.ts'

explainSkip(redisServerMissing)

const log = { address: '33'.repeat(20), topics: ['aa'.repeat(32)] }

/** Each test has a separate Redis, which it breaks. */
const test = base.extend<{ redis: TestRedis; group: ReplicaGroup }>({
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads the required fixtures from the pattern
  redis: async ({}, use) => {
    const redis = await startRedis()
    await use(redis)
    await redis.close()
  },
  group: async ({ redis }, use) => {
    const group = createReplicaGroup(redis.url)
    await use(group)
    await group.close()
  },
})

// The tests wait for timeouts, so they run at the same time.
describe.skipIf(redisServerMissing !== undefined)('createReplication', { concurrent: true }, () => {
  test('behavior: a frozen connection to Redis is replaced', async ({
    group: { chain, haveHead, haveRoles, start, withRole },
    onTestFinished,
    redis,
  }) => {
    const a = await start()
    const proxy = await startTcpProxy(Number(new URL(redis.url).port))
    onTestFinished(() => proxy.close())
    const b = await start({ url: `redis://127.0.0.1:${proxy.port}` })
    expect(withRole('leader')).toBe(a)
    proxy.freeze()
    await haveHead(2, chain.mine().hash)
    await until(() => expect(b.head.isShared()).toBe(true))
    await haveHead(3, chain.mine().hash)
    await haveRoles('follower', 'leader')
  })

  test('behavior: while Redis is frozen the head continues', async ({
    group: { chain, haveHead, haveRoles, running, start },
    redis,
  }) => {
    await start()
    await start()
    redis.signal('SIGSTOP')
    await haveHead(2, chain.mine({ logs: [[log]] }).hash)
    await haveRoles('standalone', 'standalone')
    redis.signal('SIGCONT')
    await haveRoles('follower', 'leader')
    await haveHead(3, chain.mine().hash)
    for (const { changes } of running)
      expect(hashesAfter(changes)).toEqual(chain.canonical().map(({ hash }) => hash))
  })

  test.for([
    {
      state: 'full',
      reason: 'its memory is full',
      breakRedis: (admin: Redis) => admin.config('SET', 'maxmemory', '1'),
      repair: (admin: Redis) => admin.config('SET', 'maxmemory', '0'),
    },
    {
      state: 'read-only',
      reason: 'it is a read-only replica',
      breakRedis: (admin: Redis) => admin.replicaof('127.0.0.1', 1),
      repair: (admin: Redis) => admin.replicaof('NO', 'ONE'),
    },
  ])(
    'behavior: while Redis is $state the head continues',
    async (
      { repair, reason, breakRedis },
      { group: { chain, haveHead, haveRoles, running, start }, onTestFinished, redis },
    ) => {
      const [a] = [await start(), await start()]
      const admin = new Redis(redis.url)
      onTestFinished(() => admin.disconnect())
      await breakRedis(admin)
      await haveHead(2, chain.mine({ logs: [[log]] }).hash)
      await haveRoles('standalone', 'standalone')
      await haveHead(3, chain.mine().hash)
      expect(a.link.problem()).toBe(`Redis refuses writes (${reason})`)
      expect(a.head.status().upstream).toBe('up')
      await repair(admin)
      await haveRoles('follower', 'leader')
      await haveHead(4, chain.mine().hash)
      await until(() => expect(a.link.problem()).toBeUndefined())
      for (const { changes } of running)
        expect(hashesAfter(changes)).toEqual(chain.canonical().map(({ hash }) => hash))
    },
  )

  test('behavior: Redis stops and restarts, with and without its data', async ({
    group: { chain, haveHead, haveRoles, running, start },
    redis,
  }) => {
    const [, b] = [await start(), await start()]
    await redis.stop()
    await haveHead(2, chain.mine({ logs: [[log]] }).hash)
    await haveRoles('standalone', 'standalone')
    await redis.start()
    await haveRoles('follower', 'leader')
    await haveHead(3, chain.mine().hash)
    await b.link.client.flushall()
    await haveHead(4, chain.mine().hash)
    const late = await start()
    await haveHead(4, chain.head().hash)
    expect(late.head.latest().hash).toBe(chain.head().hash)
    for (const { changes } of running.slice(0, 2))
      expect(hashesAfter(changes)).toEqual(chain.canonical().map(({ hash }) => hash))
  })
})
