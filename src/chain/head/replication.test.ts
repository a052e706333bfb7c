import { randomUUID } from 'node:crypto'

import { Redis } from 'ioredis'
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from 'vitest'

import { createScriptedChain, type ScriptedChain } from '../../../test/chain.ts'
import { explainSkip, redisServerMissing, startRedis, type TestRedis } from '../../../test/redis.ts'
import { startTcpProxy } from '../../../test/tcpProxy.ts'
import { createNativeClient } from '../../native/client.ts'
import { NodeUnreachableError } from '../../native/errors.ts'
import { createRedisLink, type RedisLink } from '../../redis.ts'
import { createHead } from '../head.ts'
import type { ChainUpdate, Head } from '../headTypes.ts'

explainSkip(redisServerMissing)

type Replica = {
  head: Head
  link: RedisLink
  changes: ChainUpdate[]
  /** What this replica logs, and what it calls on its node. */
  messages: string[]
  calls: string[]
  /** Whether this replica reaches its node. */
  node: { isDown: boolean }
}

let redis: TestRedis
let chain: ScriptedChain
let prefix: string
let replicas: Replica[]

const log = { address: '33'.repeat(20), topics: ['aa'.repeat(32)] }

/** Long enough for a busy machine; nothing here depends on how long things take. */
const PATIENCE = { timeout: 25_000, interval: 20 }

/** Starts a replica with its own way to the node. */
async function replica({
  isDown = false,
  of = chain,
  url = redis.url,
}: { isDown?: boolean; of?: ScriptedChain; url?: string } = {}): Promise<Replica> {
  const link = createRedisLink({ url, prefix })
  const node = { isDown }
  const calls: string[] = []
  const messages: string[] = []
  const native = createNativeClient({
    transport: {
      ...of.transport,
      async send(path, body) {
        calls.push(path)
        if (node.isDown) throw new NodeUnreachableError()
        return of.transport.send(path, body, { idempotent: true })
      },
    },
  })
  const note = (fields: object | string, message?: string) =>
    void messages.push(message ?? (fields as string))
  const head = createHead({
    genesis: of.genesis,
    log: { error: note, info: note, warn: note },
    native,
    redis: link,
  })
  const changes: ChainUpdate[] = []
  head.onUpdate((change) => changes.push(change))
  const made = { calls, changes, head, link, messages, node }
  replicas.push(made)
  await head.start()
  return made
}

async function stop({ head, link }: Replica) {
  await head.stop()
  await link.close()
}

const everyone = (number: number, hash: string) =>
  vi.waitFor(() => {
    for (const { head } of replicas) expect(head.latest()).toMatchObject({ number, hash })
  }, PATIENCE)

const roles = (...expected: string[]) =>
  vi.waitFor(
    () => expect(replicas.map(({ head }) => head.status().role).toSorted()).toEqual(expected),
    PATIENCE,
  )

const withRole = (role: string) =>
  replicas.find(({ head }) => head.status().role === role) as Replica

/** The chain that a listener of the updates ends up with. Throws where an update does not fit. */
function replay(changes: ChainUpdate[]): string[] {
  const hashes: string[] = []
  for (const { added, removed } of changes) {
    for (const { hash } of removed) expect(hashes.pop()).toBe(hash)
    hashes.push(...added.map(({ hash }) => hash))
  }
  return hashes
}

describe.skipIf(redisServerMissing !== undefined)('createReplication', () => {
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis.close())
  beforeEach(() => {
    chain = createScriptedChain()
    chain.mine()
    prefix = randomUUID()
    replicas = []
  })
  afterEach(async () => {
    await Promise.all(replicas.map(stop))
  })

  test('default: one leads, all have the same chain with its logs', async () => {
    const [a, b] = [await replica(), await replica()]
    expect([a.head.status().role, b.head.status().role]).toEqual(['leader', 'follower'])
    chain.mine({ logs: [[log]] })
    const block = chain.mine({ logs: [[log], [log]] })
    await everyone(3, block.hash)
    expect(b.head.window()?.blocks).toEqual(a.head.window()?.blocks)
    const old = chain.head()
    const branch = chain.reorg(1, [{}, {}])
    await everyone(4, branch[1]?.hash ?? '')
    expect(b.head.window()?.orphans.get(old.hash)?.logs).toHaveLength(2)
    expect(replay(b.changes)).toEqual(chain.canonical().map(({ hash }) => hash))
  })

  test('behavior: a follower reads no block from its node, it only probes it', async () => {
    await replica()
    const b = await replica()
    chain.mine({ logs: [[log]] })
    const block = chain.mine({ logs: [[log]] })
    await everyone(3, block.hash)
    expect(new Set(b.calls)).toEqual(new Set(['/wallet/getblock']))
  })

  test('behavior: a leader that leaves or dies is replaced', async () => {
    const [a] = [await replica(), await replica(), await replica()]
    await stop(a)
    replicas.shift()
    await everyone(2, chain.mine().hash)
    // Its connection ends without releasing the lease, and does not come back.
    const dead = withRole('leader')
    dead.link.client.disconnect()
    replicas = replicas.filter((one) => one !== dead)
    await roles('leader')
    await everyone(3, chain.mine().hash)
    expect(withRole('leader')).not.toBe(dead)
    replicas.push(dead)
  })

  test('behavior: a leader without its node lets another lead, and knows when the node is back', async () => {
    const [a, b] = [await replica(), await replica()]
    a.node.isDown = true
    const block = chain.mine()
    await vi.waitFor(() => expect(b.head.status().role).toBe('leader'), PATIENCE)
    await everyone(2, block.hash)
    expect(a.head.status()).toMatchObject({ role: 'follower', upstream: 'down' })
    a.node.isDown = false
    await vi.waitFor(() => expect(a.head.status().upstream).toBe('up'), PATIENCE)
    expect(a.head.status().role).toBe('follower')
  })

  test('behavior: a follower without its node says so, follows on and does not blame Redis', async () => {
    const [, b] = [await replica(), await replica()]
    b.node.isDown = true
    await vi.waitFor(() => expect(b.head.status().upstream).toBe('down'), PATIENCE)
    await everyone(2, chain.mine({ logs: [[log]] }).hash)
    expect(b.head.status()).toMatchObject({ role: 'follower', upstream: 'down' })
    expect(b.head.isShared()).toBe(true)
    expect(b.messages.filter((message) => /Redis|itself/.test(message))).toEqual([])
  })

  test('behavior: a replica that cannot read what the others have joins once its node answers', async () => {
    const a = await replica()
    const names = await a.link.client.keys(a.link.key('head:block:*'))
    await a.link.client.del(names)
    const b = await replica({ isDown: true })
    expect(b.messages).toContain('the window of the other replicas cannot be taken over')
    expect(b.messages.filter((message) => message.includes('Redis'))).toEqual([])
    b.node.isDown = false
    await vi.waitFor(() => expect(b.head.isShared()).toBe(true), PATIENCE)
    await roles('follower', 'leader')
    await everyone(2, chain.mine().hash)
  })

  test('behavior: an entry of the stream that makes no sense is skipped', async () => {
    const [a, b] = [await replica(), await replica()]
    const stream = a.link.key('head:stream')
    for (const text of [
      '{"prev":',
      '{}',
      '{"prev":"","removed":[],"added":[{}],"tip":"0x","solidified":{}}',
    ])
      await a.link.client.xadd(stream, '*', 'entry', text)
    await a.link.client.xadd(stream, '*', 'other', 'x')
    await everyone(2, chain.mine({ logs: [[log]] }).hash)
    await vi.waitFor(() => expect(b.head.isShared()).toBe(true), PATIENCE)
    expect(b.messages).toContain('an entry of the replication stream is skipped')
    expect(replay(b.changes)).toEqual(chain.canonical().map(({ hash }) => hash))
  })

  test('behavior: a connection to Redis that carries nothing any more is replaced', async () => {
    const a = await replica()
    const proxy = await startTcpProxy(Number(new URL(redis.url).port))
    const b = await replica({ url: `redis://127.0.0.1:${proxy.port}` })
    expect(withRole('leader')).toBe(a)
    proxy.freeze()
    await everyone(2, chain.mine().hash)
    await vi.waitFor(() => expect(b.head.isShared()).toBe(true), PATIENCE)
    await everyone(3, chain.mine().hash)
    await roles('follower', 'leader')
  })

  test.each([
    [
      'full',
      'its memory is full',
      ['CONFIG', 'SET', 'maxmemory', '1'],
      ['CONFIG', 'SET', 'maxmemory', '0'],
    ],
    [
      'read-only',
      'it is a read-only replica',
      ['REPLICAOF', '127.0.0.1', '1'],
      ['REPLICAOF', 'NO', 'ONE'],
    ],
  ])('behavior: while Redis is %s the head goes on', async (_, reason, spoil, mend) => {
    const [a] = [await replica(), await replica()]
    const admin = new Redis(redis.url)
    onTestFinished(async () => {
      await admin.call(mend[0] ?? '', ...mend.slice(1))
      admin.disconnect()
    })
    await admin.call(spoil[0] ?? '', ...spoil.slice(1))
    await everyone(2, chain.mine({ logs: [[log]] }).hash)
    await roles('standalone', 'standalone')
    await everyone(3, chain.mine().hash)
    expect(a.link.problem()).toBe(`Redis refuses writes (${reason})`)
    expect(a.head.status().upstream).toBe('up')
    await admin.call(mend[0] ?? '', ...mend.slice(1))
    await roles('follower', 'leader')
    await everyone(4, chain.mine().hash)
    await vi.waitFor(() => expect(a.link.problem()).toBeUndefined(), PATIENCE)
    for (const { changes } of replicas)
      expect(replay(changes)).toEqual(chain.canonical().map(({ hash }) => hash))
  })

  test('behavior: Redis goes and comes back, with and without its data', async () => {
    const [, b] = [await replica(), await replica()]
    await redis.stop()
    await everyone(2, chain.mine({ logs: [[log]] }).hash)
    await roles('standalone', 'standalone')
    await redis.start()
    await roles('follower', 'leader')
    await everyone(3, chain.mine().hash)
    await b.link.client.flushall()
    await everyone(4, chain.mine().hash)
    const late = await replica()
    await everyone(4, chain.head().hash)
    expect(late.head.latest().hash).toBe(chain.head().hash)
    for (const { changes } of replicas.slice(0, 2))
      expect(replay(changes)).toEqual(chain.canonical().map(({ hash }) => hash))
  })

  test('behavior: a chain that was reset replaces what all replicas and Redis have', async () => {
    for (let count = 0; count < 150; count++) chain.mine()
    chain.solidify(148)
    const [a, b] = [await replica(), await replica()]
    await everyone(151, chain.head().hash)
    chain.solidify(0)
    chain.reorg(151, [{ logs: [[log]] }, {}])
    await everyone(2, chain.head().hash)
    await everyone(3, chain.mine().hash)
    expect(b.head.window()?.blocks).toEqual(a.head.window()?.blocks)
    expect(b.messages).toContain('the chain was reset')
    expect((await replica()).head.latest().hash).toBe(chain.head().hash)
  })

  test('behavior: replicas that start on a chain that was reset do not keep what Redis has', async () => {
    for (let count = 0; count < 150; count++) chain.mine()
    chain.solidify(148)
    const a = await replica()
    await stop(a)
    replicas.pop()
    chain.solidify(0)
    chain.reorg(151, [{ logs: [[log]] }, {}])
    const [b] = await Promise.all([replica(), replica()])
    await everyone(2, chain.head().hash)
    await roles('follower', 'leader')
    expect(b.messages).toContain('the chain was reset')
  })

  test('behavior: replicas that were down fill what they missed', async () => {
    const a = await replica()
    await stop(a)
    replicas.pop()
    const old = chain.head()
    for (let count = 0; count < 80; count++) chain.mine()
    const b = await replica()
    await everyone(81, chain.head().hash)
    expect(replay(b.changes)).toEqual(chain.canonical().map(({ hash }) => hash))
    expect(b.changes[0]?.added.at(-1)?.hash).toBe(old.hash)
  })

  test('error: keys of another chain are not used', async () => {
    await replica()
    const other = createScriptedChain({ seed: 'other' })
    const stranger = await replica({ of: other })
    expect(stranger.head.status()).toMatchObject({
      role: 'standalone',
      problem: expect.stringMatching(/another chain/) as string,
    })
    await vi.waitFor(() => expect(stranger.head.latest().hash).toBe(other.head().hash))
  })
})
