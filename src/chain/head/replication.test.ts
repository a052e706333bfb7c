import { randomUUID } from 'node:crypto'

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'

import { createScriptedChain, type ScriptedChain } from '../../../test/chain.ts'
import { explainSkip, redisServerMissing, startRedis, type TestRedis } from '../../../test/redis.ts'
import { createRedisLink, type RedisLink } from '../../redis.ts'
import { createHead } from '../head.ts'
import type { ChainUpdate, Head } from '../headTypes.ts'

explainSkip(redisServerMissing)

type Replica = { head: Head; link: RedisLink; changes: ChainUpdate[]; native: ScriptedChain }

let redis: TestRedis
let chain: ScriptedChain
let prefix: string
let replicas: Replica[]

const log = { address: '33'.repeat(20), topics: ['aa'.repeat(32)] }

async function replica(options: Partial<createHead.Options> = {}): Promise<Replica> {
  const link = createRedisLink({ url: redis.url, prefix })
  const head = createHead({ genesis: chain.genesis, native: chain.native, redis: link, ...options })
  const changes: ChainUpdate[] = []
  head.onUpdate((change) => changes.push(change))
  await head.start()
  const made = { head, link, changes, native: chain }
  replicas.push(made)
  return made
}

async function stop({ head, link }: Replica) {
  await head.stop()
  await link.close()
}

const everyone = (number: number, hash: string) =>
  vi.waitFor(
    () => {
      for (const { head } of replicas) expect(head.latest()).toMatchObject({ number, hash })
    },
    { timeout: 8_000, interval: 20 },
  )

/** The chain that a listener of the steps ends up with; throws where a step does not fit. */
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

  test('behavior: three replicas ask the node no more than one', async () => {
    await replica()
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    const before = chain.total()
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    const alone = chain.total() - before
    await replica()
    await replica()
    const again = chain.total()
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    expect(chain.total() - again).toBeLessThanOrEqual(alone + 1)
  })

  test('behavior: a leader that leaves is replaced at once, one that dies within five seconds', async () => {
    const [a, b, c] = [await replica(), await replica(), await replica()]
    await stop(a)
    replicas.shift()
    const block = chain.mine()
    await everyone(2, block.hash)
    // Dead, not gone: its connection ends without a word.
    const leader = [b, c].find(({ head }) => head.status().role === 'leader') as Replica
    leader.link.client.disconnect()
    const began = Date.now()
    const next = [b, c].find((replica) => replica !== leader) as Replica
    await vi.waitFor(() => expect(next.head.status().role).toBe('leader'), { timeout: 6_000 })
    expect(Date.now() - began).toBeLessThan(5_000)
  })

  test('behavior: a leader that cannot reach its node lets another lead', async () => {
    const broken = { ...chain.native, wallet: { ...chain.native.wallet } }
    const a = await replica({ native: broken })
    const b = await replica()
    expect(a.head.status().role).toBe('leader')
    broken.wallet.getBlock = () => Promise.reject(new Error('no way to the node'))
    const block = chain.mine()
    await vi.waitFor(() => expect(b.head.status().role).toBe('leader'), { timeout: 12_000 })
    await everyone(2, block.hash)
  })

  test('behavior: Redis goes and comes back, with and without its data', async () => {
    const [, b] = [await replica(), await replica()]
    await redis.stop()
    const block = chain.mine({ logs: [[log]] })
    await everyone(2, block.hash)
    await vi.waitFor(() =>
      expect(replicas.map(({ head }) => head.status().role)).toEqual(['standalone', 'standalone']),
    )
    await redis.start()
    await vi.waitFor(
      () =>
        expect(replicas.map(({ head }) => head.status().role).toSorted()).toEqual([
          'follower',
          'leader',
        ]),
      { timeout: 8_000 },
    )
    await everyone(3, chain.mine().hash)
    await b.link.client.flushall()
    await everyone(4, chain.mine().hash)
    const late = await replica()
    await everyone(4, chain.head().hash)
    expect(late.head.latest().hash).toBe(chain.head().hash)
    for (const { changes } of replicas.slice(0, 2))
      expect(replay(changes)).toEqual(chain.canonical().map(({ hash }) => hash))
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
    const stranger = await replica({ genesis: other.genesis, native: other.native })
    expect(stranger.head.status()).toMatchObject({
      role: 'standalone',
      problem: expect.stringMatching(/another chain/) as string,
    })
    await vi.waitFor(() => expect(stranger.head.latest().hash).toBe(other.head().hash))
  })
})
