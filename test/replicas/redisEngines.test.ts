// The stores that replicas share, on Redis as operators run it: TLS, a Unix socket, Sentinel, Cluster.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

import type { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'

import { createRedisFilterStore } from '../../src/chain/filters/redis.ts'
import { describeFilterStore } from '../../src/chain/filters/store.contract.ts'
import { createRedisLink, type RedisLink } from '../../src/lib/redis.ts'
import { serversOf } from '../../src/lib/redisClient.ts'
import { createRedisSentStore } from '../../src/sending/redisSentStore.ts'
import { watchRedisSettings } from '../../src/sending/redisSettings.ts'
import { describeSentStore } from '../../src/sending/sentStore.contract.ts'
import { ageFilters, explainSkip } from '../support/redis.ts'
import {
  enginesMissing,
  type RedisEngine,
  startCluster,
  startSecureRedis,
  startSentinel,
  startSocketRedis,
} from '../support/redisEngines.ts'
import { createReplicaGroup } from '../support/replicaGroup.ts'
import { until } from '../support/until.ts'

explainSkip(enginesMissing)

async function connect(url: string, prefix: string = randomUUID()): Promise<RedisLink> {
  const link = createRedisLink({ url, prefix })
  await until(() => expect(link.status()).toBe('up'))
  return link
}

describe.skipIf(enginesMissing).each([
  ['TLS, client certificate and user', startSecureRedis],
  ['Unix socket and user', startSocketRedis],
  ['Sentinel', startSentinel],
  ['Cluster', startCluster],
  ['Cluster that spreads filters', () => startCluster({ isSpread: true })],
] as const)('%s', (_, start) => {
  let engine: RedisEngine
  const links: RedisLink[] = []
  beforeAll(async () => {
    engine = await start()
  })
  afterAll(async () => {
    await Promise.all(links.map((link) => link.close()))
    await engine?.close()
  })

  async function open(prefix?: string): Promise<RedisLink> {
    const link = await connect(engine.url, prefix)
    links.push(link)
    return link
  }

  describeFilterStore('createRedisFilterStore', async (limits) => {
    const link = await open()
    const store = createRedisFilterStore({ ...limits, isSpread: true, link })
    return {
      store,
      pass: (milliseconds) => ageFilters(link, store, milliseconds),
      close: async () => {},
    }
  })

  describeSentStore(async () => {
    const prefix = randomUUID()
    const [a, b] = await Promise.all([open(prefix), open(prefix)])
    return { a: createRedisSentStore({ redis: a }), b: createRedisSentStore({ redis: b }) }
  })

  test('behavior: its settings are read', async () => {
    const problems: string[] = []
    const note = (fields: object | string, message?: string) =>
      void problems.push(message ?? (fields as string))
    const settings = watchRedisSettings({ log: { error: note, warn: note }, redis: await open() })
    onTestFinished(() => settings.close())
    await settings.assertKept()
    expect(problems).toEqual([])
  })

  test('behavior: replicas follow one leader', async () => {
    const group = createReplicaGroup(engine.url)
    onTestFinished(() => group.close())
    await group.start()
    await group.start()
    await group.haveRoles('follower', 'leader')
    const block = group.chain.mine()
    await group.haveHead(block.number, block.hash)
    expect(group.running.map(({ head }) => head.latest().hash)).toEqual([block.hash, block.hash])
  })
})

test.skipIf(enginesMissing)(
  'behavior: a Cluster spreads filters; links with and without it find the filters of both',
  async () => {
    const engine = await startCluster()
    const prefix = randomUUID()
    const limits = { bytesPerClient: 1e6, bytesTotal: 1e6, lease: 300, perClient: 30, total: 50 }
    const [plain, spread] = await Promise.all(
      ['', '?filters=spread'].map(async (parameter) => {
        const link = await connect(`${engine.url}${parameter}`, prefix)
        return {
          link,
          store: createRedisFilterStore({ ...limits, isSpread: true, link, ttl: 60_000 }),
        }
      }),
    )
    if (!plain || !spread) throw new Error('no links')
    onTestFinished(async () => {
      await plain.link.close()
      await spread.link.close()
      await engine.close()
    })
    const create = ({ store }: typeof plain) =>
      store.create({ client: 'a' }, { spec: { kind: 'blocks', view: 'full' }, cursor: '1:' })
    const keysOf = async () =>
      Promise.all(serversOf(plain.link.client).map((server) => server.keys(`*${prefix}*`)))
    const ids = await Promise.all(Array.from({ length: 29 }, () => create(spread)))
    expect((await keysOf()).filter((keys) => keys.length > 0)).toHaveLength(3)
    ids.push(await create(plain))
    await expect(create(plain)).rejects.toMatchObject({ code: -32005 })
    await expect(create(spread)).rejects.toMatchObject({ code: -32005 })
    for (const [claims, others] of [
      [plain.store, spread.store],
      [spread.store, plain.store],
    ] as const)
      for (const id of ids) {
        expect((await claims.claim(id, id, ''))?.state).toBe('claimed')
        expect((await others.claim(id, 'other', ''))?.state).toBe('busy')
        expect(await others.renew(id, id)).toBe(true)
        expect(await others.commit(id, id, '1:', '1:')).toBe(true)
        expect(await others.read(id)).toMatchObject({ cursor: '1:' })
      }
    const last = ids.pop() ?? ''
    for (const id of ids) expect(await plain.store.remove(id)).toBe(true)
    // A store learns the usage from its own calls.
    expect(await spread.store.remove(last)).toBe(true)
    await spread.store.flush()
    expect(spread.store.usage().filters).toBe(0)
    expect((await keysOf()).flat()).toEqual([plain.link.key('filters:usage')])
  },
)

test.skipIf(enginesMissing)(
  'behavior: while one master of a Cluster that spreads filters refuses writes, Redis counts as refusing',
  async () => {
    const engine = await startCluster({ isSpread: true })
    const link = await connect(engine.url)
    onTestFinished(async () => {
      await link.close()
      await engine.close()
    })
    const keysOf = async (server: Redis) => (await server.keys('*')).length
    const write = (index: number) => link.client.set(link.spreadKeys(`${index}`)[0], '1')
    // The master that gets the first of these keys, unless it has the slot of the prefix.
    await link.client.set(link.key('own'), '1')
    const servers = serversOf(link.client)
    const counts = await Promise.all(servers.map(keysOf))
    const other = servers[counts.indexOf(0)] as Redis
    let index = 0
    while ((await keysOf(other)) === 0) await write(index++)
    await other.config('SET', 'min-replicas-to-write', '1')
    const told: string[] = []
    link.onStatus((status) => told.push(status))
    await expect(link.run(() => write(index - 1))).rejects.toMatchObject({ code: -32603 })
    expect(told).toEqual(['refusing'])
    // Two more checks of its writes.
    await sleep(2_500)
    expect(told).toEqual(['refusing'])
    await other.config('SET', 'min-replicas-to-write', '0')
    await until(() => expect(told).toEqual(['refusing', 'up']))
  },
)

test.skipIf(enginesMissing)('behavior: a Sentinel replaces the master', async () => {
  const engine = await startSentinel({ servers: 3 })
  const group = createReplicaGroup(engine.url)
  const link = await connect(engine.url)
  onTestFinished(async () => {
    await link.close()
    await group.close()
    await engine.close()
  })
  await group.start()
  await group.start()
  await group.haveRoles('follower', 'leader')
  const sent = createRedisSentStore({ redis: link })
  await sent.reserve({ expiration: 1, from: '0x01', id: '0x02' })
  await sent.assertCopied('0x02')
  const master = await engine.master()
  await master.kill()
  await until(async () => {
    expect((await sent.reserve({ expiration: 1, from: '0x01', id: '0x02' })).outcome).toBe('known')
  })
  expect(await engine.master()).not.toBe(master)
  const block = group.chain.mine()
  await group.haveHead(block.number, block.hash)
  await group.haveRoles('follower', 'leader')
})

test.skipIf(enginesMissing)('error: a record that no replica has is not sent', async () => {
  const engine = await startSentinel({ servers: 1 })
  const link = await connect(engine.url)
  onTestFinished(async () => {
    await link.close()
    await engine.close()
  })
  const sent = createRedisSentStore({ redis: link })
  await sent.reserve({ expiration: 1, from: '0x01', id: '0x02' })
  await expect(sent.assertCopied('0x02')).rejects.toMatchObject({
    code: -32603,
    message:
      'the transaction was not sent: too few replicas of the shared store (Redis) have its record, try again later',
  })
})
