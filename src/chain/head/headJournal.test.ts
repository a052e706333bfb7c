import { randomUUID } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'

import type { Hash } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'

import { createScriptedChain } from '../../../test/support/chain.ts'
import { explainSkip, redisMissing, someRedis } from '../../../test/support/redis.ts'
import { until } from '../../../test/support/until.ts'
import { createRedisLink } from '../../lib/redis.ts'
import { createHeadJournal, type HeadJournal, toEntry } from './headJournal.ts'
import type { RecentBlock } from './headTypes.ts'
import { packBlock } from './payload.ts'
import { createHeadSource } from './source.ts'

explainSkip(redisMissing)

let redis: Awaited<ReturnType<typeof someRedis>>
let journal: HeadJournal
let link: ReturnType<typeof createRedisLink>
let blocks: RecentBlock[]

const hashes = () => blocks.map(({ hash }) => hash)
const blockAt = (index: number) => blocks[index] as RecentBlock
const entryTo = (index: number) => {
  const block = blockAt(index)
  const prev: Hash | '' = index === 0 ? '' : blockAt(index - 1).hash
  return toEntry(prev, { removed: [], added: [block], solidified: blockAt(0) }, block.hash)
}
const lead = async (id: string) => (await journal.acquireLease(id)).token

describe.skipIf(redisMissing !== undefined)('createHeadJournal', () => {
  beforeAll(async () => {
    redis = await someRedis()
  })
  afterAll(() => redis.close())
  beforeEach(async () => {
    link = createRedisLink({ url: redis.url, prefix: randomUUID() })
    await new Promise<void>((resolve) => {
      link.onStatus((status) => status === 'up' && resolve())
    })
    journal = createHeadJournal(link)
    const chain = createScriptedChain()
    for (let count = 0; count < 4; count++) chain.mine()
    const source = createHeadSource({ native: chain.native })
    blocks = await Promise.all(
      chain.canonical().map(async ({ number }) => (await source.load({ number })) as RecentBlock),
    )
    onTestFinished(async () => {
      journal.close()
      await link.close()
    })
  })

  test('behavior: a Redis that loses its keys meanwhile is not another chain', async () => {
    const life = { over: false }
    const losing = (async () => {
      while (!life.over) await link.client.del(link.key('head:genesis'))
    })()
    const genesis: Hash = `0x${'11'.repeat(32)}`
    const other = createRedisLink({ url: redis.url, prefix: link.key('').slice(1, -2) })
    await until(() => expect(other.status()).toBe('up'))
    const asking = createHeadJournal(other)
    const answers = new Set<boolean>()
    for (let count = 0; count < 500; count++) answers.add(await asking.isSameChain(genesis))
    life.over = true
    await losing
    asking.close()
    await other.close()
    expect([...answers]).toEqual([true])
  })

  test('default: reads updates in order, with their contents', async () => {
    const token = await lead('a')
    for (const index of [0, 1, 2])
      expect(await journal.publish(token, entryTo(index), [blockAt(index)], 0)).toBe('ok')
    const entries = await journal.read('0-0')
    expect(entries.map(({ entry }) => entry?.tip)).toEqual(hashes().slice(0, 3))
    expect(await journal.snapshot()).toEqual({
      position: entries.at(-1)?.position,
      solidified: expect.objectContaining({ number: 0 }) as object,
      blocks: blocks.slice(0, 3).map(({ hash, number }) => ({ number, hash })),
      orphans: [],
    })
    expect([...(await journal.blocks(hashes())).values()]).toEqual(blocks.slice(0, 3))
  })

  test('behavior: a block that cannot be read is missing', async () => {
    const token = await lead('a')
    for (const index of [0, 1, 2]) await journal.publish(token, entryTo(index), [blockAt(index)], 0)
    const put = (index: number, bytes: Buffer) =>
      link.client.set(link.key(`head:block:${blockAt(index).hash}`), bytes)
    // Inflates to 200 MB.
    await put(0, deflateRawSync(Buffer.alloc(200 * 1024 * 1024, ' ')))
    await put(1, Buffer.from('broken'))
    await put(2, await packBlock(blockAt(3)))
    expect((await journal.blocks(hashes())).size).toBe(0)
    await put(2, await packBlock(blockAt(2)))
    expect([...(await journal.blocks(hashes())).keys()]).toEqual([blockAt(2).hash])
  })

  test('behavior: one replica leads until it releases its lease or the lease expires', async () => {
    const first = await lead('a')
    expect(await journal.acquireLease('b')).toEqual({ isOwn: false, token: first })
    expect(await journal.acquireLease('a')).toEqual({ isOwn: true, token: first })
    await journal.releaseLease(first)
    const second = await lead('b')
    expect(second).toMatch(/^b:/)
    await journal.releaseLease(first)
    expect(await journal.acquireLease('c')).toEqual({ isOwn: false, token: second })
    await link.client.pexpire(link.key('head:lease'), 1)
    await until(async () => expect(await link.client.exists(link.key('head:lease'))).toBe(0))
    expect(await lead('c')).toMatch(/^c:/)
  })

  test('behavior: the lease is taken from the named leader only, which then cannot publish', async () => {
    const first = await lead('a')
    const { isOwn, token } = await journal.acquireLease('b', first)
    expect({ isOwn, isNew: token !== first }).toEqual({ isOwn: true, isNew: true })
    expect(await journal.publish(first, entryTo(0), [blockAt(0)], 0)).toBe('fenced')
    expect(await journal.acquireLease('c', first)).toEqual({ isOwn: false, token })
  })

  test('behavior: a leader that was replaced cannot publish', async () => {
    const old = await lead('a')
    expect(await journal.publish(old, entryTo(0), [blockAt(0)], 0)).toBe('ok')
    await link.client.del(link.key('head:lease'))
    expect(await journal.publish(old, entryTo(1), [blockAt(1)], 0)).toBe('fenced')
    const next = await lead('b')
    expect(await journal.publish(old, entryTo(1), [blockAt(1)], 0)).toBe('fenced')
    expect(await journal.publish(next, entryTo(1), [blockAt(1)], 0)).toBe('ok')
    expect(await journal.read('0-0')).toHaveLength(2)
  })

  test('behavior: an update must start from the newest block', async () => {
    const token = await lead('a')
    await journal.publish(token, entryTo(0), [blockAt(0)], 0)
    expect(await journal.publish(token, entryTo(2), [blockAt(2)], 0)).toBe('moved')
  })

  test('behavior: orphans are separate and are trimmed with the window', async () => {
    const token = await lead('a')
    for (const index of [0, 1, 2]) await journal.publish(token, entryTo(index), [blockAt(index)], 0)
    const change = { removed: [blockAt(2)], added: [], solidified: blockAt(0) }
    await journal.publish(token, toEntry(blockAt(2).hash, change, blockAt(1).hash), [], 0)
    expect(await journal.snapshot()).toMatchObject({ orphans: [blockAt(2).hash] })
    await journal.publish(token, entryTo(2), [blockAt(2)], 2)
    expect(await journal.snapshot()).toMatchObject({
      blocks: [{ number: 2 }],
      orphans: [],
    })
  })

  test('behavior: a prefix belongs to one chain, and every key has a lifetime', async () => {
    const token = await lead('a')
    await journal.publish(token, entryTo(0), [blockAt(0)], 0)
    expect(await journal.isSameChain(blockAt(0).hash)).toBe(true)
    expect(await journal.isSameChain(blockAt(1).hash)).toBe(false)
    await lead('a')
    const keys = await link.client.keys(`${link.key('')}*`)
    const lifetimes = await Promise.all(keys.map((key) => link.client.pttl(key)))
    expect(keys.length).toBeGreaterThan(5)
    expect(keys.filter((_, index) => (lifetimes[index] ?? 0) <= 0)).toEqual([])
  })
})
