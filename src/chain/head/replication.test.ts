import { randomUUID } from 'node:crypto'

import { afterAll, beforeAll, describe, expect, test as base } from 'vitest'

import { createScriptedChain } from '../../../test/support/chain.ts'
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
import { until } from '../../../test/support/until.ts'
import { createRedisLink } from '../../lib/redis.ts'
import { createReplication } from './replication.ts'
import { createHeadSource } from './source.ts'

explainSkip(redisServerMissing)

const log = { address: '33'.repeat(20), topics: ['aa'.repeat(32)] }

let redis: TestRedis

const test = base.extend<{ group: ReplicaGroup }>({
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads the required fixtures from the pattern
  group: async ({}, use) => {
    const group = createReplicaGroup(redis.url)
    await use(group)
    await group.close()
  },
})

// The tests wait for leases and timeouts, so they run at the same time.
describe.skipIf(redisServerMissing !== undefined)('createReplication', { concurrent: true }, () => {
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis.close())

  test('default: one replica leads, all have the same chain with its logs', async ({ group }) => {
    const { chain, haveHead, start } = group
    const [a, b] = [await start(), await start()]
    expect([a.head.status().role, b.head.status().role]).toEqual(['leader', 'follower'])
    chain.mine({ logs: [[log]] })
    const block = chain.mine({ logs: [[log], [log]] })
    await haveHead(3, block.hash)
    expect(b.head.window()?.blocks).toEqual(a.head.window()?.blocks)
    const old = chain.head()
    const branch = chain.reorg(1, [{}, {}])
    await haveHead(4, branch[1]?.hash ?? '')
    expect(b.head.window()?.orphans.get(old.hash)?.logs).toHaveLength(2)
    expect(hashesAfter(b.changes)).toEqual(chain.canonical().map(({ hash }) => hash))
  })

  test('behavior: a follower only probes its node and reads no block from it', async ({
    group: { chain, haveHead, start },
  }) => {
    await start()
    const b = await start()
    chain.mine({ logs: [[log]] })
    const block = chain.mine({ logs: [[log]] })
    await haveHead(3, block.hash)
    expect(new Set(b.calls)).toEqual(new Set(['/wallet/getblock']))
  })

  test('behavior: a leader that stops or crashes is replaced', async ({ group }) => {
    const { chain, removeReplica, haveHead, haveRoles, running, start, stop, withRole } = group
    const [a] = [await start(), await start(), await start()]
    await stop(a)
    await haveHead(2, chain.mine().hash)
    // Its connection ends without releasing the lease, and does not come back.
    const dead = withRole('leader')
    dead.link.client.disconnect()
    removeReplica(dead)
    await haveRoles('leader')
    await haveHead(3, chain.mine().hash)
    expect(withRole('leader')).not.toBe(dead)
    running.push(dead)
  })

  test('behavior: no lease is left, before whichever command it stops', async () => {
    const leases = await Promise.all(
      Array.from({ length: 6 }, async (_, index) => {
        let left = Infinity
        let stopped: Promise<void> | undefined
        const link = createRedisLink({
          onCommand() {
            if (left-- === 0) stopped = replication.stop()
            return undefined
          },
          prefix: randomUUID(),
          url: redis.url,
        })
        const chain = createScriptedChain()
        const replication = createReplication({
          genesis: chain.head().hash,
          link,
          log: { error() {}, info() {}, warn() {} },
          now: () => performance.now(),
          onRole() {},
          own: {
            apply() {},
            first: () => undefined,
            prepare: async () => {},
            replace() {},
            window: () => undefined,
          },
          source: createHeadSource({ native: chain.native }),
          upstream: () => ({ downSince: undefined, state: 'up' }),
        })
        await replication.start()
        left = index
        await until(() => expect(stopped).toBeDefined())
        await stopped
        // On a busy machine the connection may just have been replaced.
        const lease = await until(() => link.client.get(link.key('head:lease')))
        await link.close()
        return lease
      }),
    )
    expect(leases).toEqual(Array.from({ length: 6 }, () => null))
  })

  test('behavior: a leader without its node yields leadership, and detects when the node is back', async ({
    group: { chain, haveHead, start },
  }) => {
    const [a, b] = [await start(), await start()]
    a.node.isDown = true
    const block = chain.mine()
    await until(() => expect(b.head.status().role).toBe('leader'))
    await haveHead(2, block.hash)
    expect(a.head.status()).toMatchObject({ role: 'follower', upstream: 'down' })
    a.node.isDown = false
    await until(() => expect(a.head.status().upstream).toBe('up'))
    expect(a.head.status().role).toBe('follower')
  })

  test('behavior: a replica whose node is ahead takes the lease from a leader whose node stands', async ({
    group: { chain, haveHead, start },
  }) => {
    // The same chain, which stops after its first block.
    const still = createScriptedChain()
    still.mine()
    const a = await start({ of: still })
    const b = await start()
    await until(() =>
      expect([a, b].map(({ head }) => head.status().role)).toEqual(['leader', 'follower']),
    )
    const block = chain.mine({ logs: [[log]] })
    await until(() => expect(b.head.status().role).toBe('leader'))
    await haveHead(2, block.hash)
    await until(() => expect(a.head.status()).toMatchObject({ role: 'follower', upstream: 'up' }))
    expect(b.messages).toContain(
      'the leader does not publish the blocks of this node: leadership taken',
    )
    await haveHead(3, chain.mine().hash)
    expect(hashesAfter(a.changes)).toEqual(chain.canonical().map(({ hash }) => hash))
  })

  test('behavior: a follower without its node reports it and keeps following the journal', async ({
    group: { chain, haveHead, start },
  }) => {
    const [, b] = [await start(), await start()]
    b.node.isDown = true
    await until(() => expect(b.head.status().upstream).toBe('down'))
    await haveHead(2, chain.mine({ logs: [[log]] }).hash)
    expect(b.head.status()).toMatchObject({ role: 'follower', upstream: 'down' })
    expect(b.head.isShared()).toBe(true)
    expect(b.messages.filter((message) => /Redis|rejoin/.test(message))).toEqual([])
  })

  test('behavior: a replica that lacks blocks of the others joins when its node answers', async ({
    group: { chain, haveHead, haveRoles, start },
  }) => {
    const a = await start()
    const names = await a.link.client.keys(a.link.key('head:block:*'))
    await a.link.client.del(names)
    const b = await start({ isDown: true })
    expect(b.messages).toContain('the window of the other replicas cannot be loaded')
    expect(b.messages.filter((message) => message.includes('Redis'))).toEqual([])
    b.node.isDown = false
    await until(() => expect(b.head.isShared()).toBe(true))
    await haveRoles('follower', 'leader')
    await haveHead(2, chain.mine().hash)
  })

  test('behavior: an invalid entry of the stream is skipped', async ({ group }) => {
    const { chain, haveHead, start } = group
    const [a, b] = [await start(), await start()]
    const stream = a.link.key('head:stream')
    for (const text of [
      '{"prev":',
      '{}',
      '{"prev":"","removed":[],"added":[{}],"tip":"0x","solidified":{}}',
    ])
      await a.link.client.xadd(stream, '*', 'entry', text)
    await a.link.client.xadd(stream, '*', 'other', 'x')
    await haveHead(2, chain.mine({ logs: [[log]] }).hash)
    await until(() => expect(b.head.isShared()).toBe(true))
    expect(b.messages).toContain('skipped an entry of the journal that cannot be applied')
    expect(hashesAfter(b.changes)).toEqual(chain.canonical().map(({ hash }) => hash))
  })

  test('behavior: a chain that was reset replaces the windows of all replicas and of Redis', async ({
    group: { chain, haveHead, start },
  }) => {
    for (let count = 0; count < 150; count++) chain.mine()
    chain.solidify(148)
    const [a, b] = [await start(), await start()]
    await haveHead(151, chain.head().hash)
    chain.solidify(0)
    chain.reorg(151, [{ logs: [[log]] }, {}])
    await haveHead(2, chain.head().hash)
    await haveHead(3, chain.mine().hash)
    expect(b.head.window()?.blocks).toEqual(a.head.window()?.blocks)
    expect(b.messages).toContain('the chain was reset')
    expect((await start()).head.latest().hash).toBe(chain.head().hash)
  })

  test('behavior: all know a solidified block below their windows, and that of a chain that was reset then', async ({
    group: { chain, haveHead, start },
  }) => {
    for (let count = 0; count < 1_100; count++) chain.mine()
    chain.solidify(10)
    const replicas = [await start(), await start()]
    chain.solidify(20)
    await haveHead(1_102, chain.mine().hash)
    const solid = () => replicas.map(({ head }) => head.solid().number)
    expect(solid()).toEqual([20, 20])
    chain.solidify(0)
    chain.reorg(1_102, [{}, {}])
    await haveHead(2, chain.head().hash)
    expect(solid()).toEqual([0, 0])
  })

  test('behavior: replicas that start on a chain that was reset replace the window of Redis', async ({
    group: { chain, haveHead, haveRoles, start, stop },
  }) => {
    for (let count = 0; count < 150; count++) chain.mine()
    chain.solidify(148)
    await stop(await start())
    chain.solidify(0)
    chain.reorg(151, [{ logs: [[log]] }, {}])
    const [b] = await Promise.all([start(), start()])
    await haveHead(2, chain.head().hash)
    await haveRoles('follower', 'leader')
    expect(b.messages).toContain('the chain was reset')
  })

  test('behavior: replicas that were down read the blocks that they missed', async ({ group }) => {
    const { chain, haveHead, start, stop } = group
    await stop(await start())
    const old = chain.head()
    for (let count = 0; count < 80; count++) chain.mine()
    const b = await start()
    await haveHead(81, chain.head().hash)
    expect(hashesAfter(b.changes)).toEqual(chain.canonical().map(({ hash }) => hash))
    expect(b.changes[0]?.added.at(-1)?.hash).toBe(old.hash)
  })

  test('error: keys of another chain are not used', async ({ group: { start } }) => {
    await start()
    const other = createScriptedChain({ seed: 'other' })
    const stranger = await start({ of: other })
    expect(stranger.head.status()).toMatchObject({
      role: 'standalone',
      problem: expect.stringMatching(/another chain/) as string,
    })
    await until(() => expect(stranger.head.latest().hash).toBe(other.head().hash))
  })
})
