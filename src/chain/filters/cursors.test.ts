import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import type { Hash } from 'viem'
import { describe, expect, onTestFinished, test } from 'vitest'

import type { Script } from '../../../test/support/chain.ts'
import { startGateway, type TestGateway } from '../../../test/support/gateway.ts'
import { log, logBlocks, other, startWatchedChain } from '../../../test/support/watchedChain.ts'
import { toQuantity } from '../../codec/quantity.ts'
import type { RpcLog } from '../../codec/types.ts'
import type { RecentBlock } from '../head/headTypes.ts'
import { createCursors } from './cursors.ts'
import { createMemoryFilterStore } from './memory.ts'
import type { FilterStore } from './store.ts'

/** Limits of a store that are never reached. */
const ROOM = {
  bytesPerClient: 100_000,
  bytesTotal: 100_000,
  lease: 60_000,
  perClient: 10,
  total: 10,
  ttl: 60_000,
}

/** Blocks 0 to 5 of a window, with one log each. */
function windowedChain(): RecentBlock[] {
  const hashOf = (number: number): Hash => `0x${number.toString(16).padStart(64, '0')}`
  return Array.from({ length: 6 }, (_, number) => {
    const found = { address: '0x01', blockNumber: toQuantity(number), topics: [] }
    const block = { hash: hashOf(number), logs: [found], number, parentHash: hashOf(number - 1) }
    return block as unknown as RecentBlock
  })
}

/** The cursors of both views of a replica that has the blocks up to `known.newest`, of which those up to `known.solid` are final. */
function cursorsOf(
  store: FilterStore,
  chain: readonly RecentBlock[],
  known: { newest: number; solid: number },
) {
  const owner = { client: 'a' }
  const options = { call: {}, limit: 100 }
  const of = (view: 'full' | 'solid') =>
    createCursors({
      chain: {
        block: async () => undefined,
        logRows: async () => [],
        async resolve(ref) {
          const block = typeof ref === 'number' ? chain[ref] : undefined
          return block && block.number <= known.newest ? block : undefined
        },
        view,
      },
      head: {
        window: () => ({
          blocks: chain.slice(0, known.newest + 1),
          orphans: new Map(),
          solidified: chain[known.solid] as RecentBlock,
        }),
      },
      store: async () => store,
    })
  return {
    open: (view: 'full' | 'solid') =>
      of(view).open(owner, 'a', { addresses: [], from: 1, topics: [] }),
    next: (view: 'full' | 'solid') => of(view).next(owner, 'a', options),
    acknowledge: (view: 'full' | 'solid', cursor: string) =>
      of(view).acknowledge(owner, 'a', cursor),
  }
}

type Opened = { cursor: string; created: boolean }
type Page = { cursor: string; logs: RpcLog[] }

const brief = ({ logs }: Page) =>
  logs.map(
    ({ blockNumber, logIndex, removed }) =>
      `${removed ? '-' : '+'}${Number(blockNumber)}.${Number(logIndex)}`,
  )

async function start(blocks: readonly Script[], solid = 0) {
  const dataDir = await mkdtemp(join(tmpdir(), 'ethgate-cursors-'))
  onTestFinished(() => rm(dataDir, { force: true, recursive: true }))
  const watched = await startWatchedChain({ blocks, config: { dataDir }, solid })
  return { ...watched, dataDir, ...clientOf(watched.gateway) }
}

function clientOf(gateway: Pick<TestGateway, 'rpc'>) {
  return {
    open: (options: object) => gateway.rpc<Opened>('ethgate_openCursor', { name: 'a', ...options }),
    next: (limit?: number) => gateway.rpc<Page>('ethgate_next', { name: 'a', limit }),
    ack: ({ cursor }: { cursor: string }) => gateway.rpc('ethgate_ack', { name: 'a', cursor }),
  }
}

describe('named cursors', () => {
  test('default: pages from a past block; the same page until it is acknowledged', async () => {
    const { ack, chain, next, open, sync } = await start(logBlocks(4), 3)
    expect(await open({ from: '0x2' })).toMatchObject({ created: true })
    const first = await next(2)
    expect(brief(first)).toEqual(['+2.0', '+3.0'])
    chain.mine({ logs: [[log]] })
    await sync()
    expect(await next(100)).toEqual(first)
    expect(await ack(first)).toBe(true)
    expect(await ack(first)).toBe(true)
    const second = await next()
    expect(brief(second)).toEqual(['+4.0', '+5.0'])
    await ack(second)
    expect(brief(await next())).toEqual([])
    expect(await open({ from: 'earliest' })).toEqual({ created: false, cursor: second.cursor })
  })

  test('default: without `from` the first page starts after the newest block', async () => {
    const { chain, next, open, sync } = await start(logBlocks(2))
    await open({})
    expect(brief(await next())).toEqual([])
    chain.mine({ logs: [[log]] })
    await sync()
    expect(brief(await next())).toEqual(['+3.0'])
  })

  test('args: filter', async () => {
    const { next, open } = await start([{ logs: [[log, other]] }])
    await open({ from: 'earliest', filter: { address: `0x${other.address}` } })
    expect(brief(await next())).toEqual(['+1.1'])
  })

  test('behavior: after a reorg the removed logs of acknowledged pages come first', async () => {
    const { ack, chain, next, open, sync } = await start(logBlocks(3))
    await open({ from: 'earliest' })
    await ack(await next())
    chain.reorg(2, [{}, { logs: [[log]] }, {}])
    await sync()
    expect(brief(await next())).toEqual(['-3.0', '-2.0', '+3.0'])
  })

  test('behavior: a page that a reorg has changed is read again, unless it was acknowledged', async () => {
    const { ack, chain, next, open, sync } = await start(logBlocks(2))
    await open({ from: 'earliest' })
    const page = await next()
    chain.reorg(1, [{}, { logs: [[log]] }])
    await sync()
    await ack(page)
    expect(brief(await next())).toEqual(['-2.0', '+3.0'])
    expect(await ack(page)).toBe(true)
    const again = await next()
    chain.reorg(1, [{ logs: [[log]] }, {}])
    await sync()
    const changed = await next()
    expect(brief(again)).toEqual(['-2.0', '+3.0'])
    expect(brief(changed)).toEqual(['-2.0', '+3.0'])
    expect(changed.cursor).not.toBe(again.cursor)
  })

  test('behavior: a block with more logs than the limit is one page', async () => {
    const { ack, next, open } = await start([{ logs: [[log, log, log]] }, { logs: [[log]] }], 2)
    await open({ from: 'earliest' })
    const page = await next(1)
    expect(brief(page).slice(0, 3)).toEqual(['+1.0', '+1.1', '+1.2'])
    await ack(page)
    expect([...brief(page), ...brief(await next())]).toEqual(['+1.0', '+1.1', '+1.2', '+2.0'])
  })

  test('behavior: a cursor survives a restart of the gateway', async () => {
    const { ack, chain, dataDir, gateway, next, open } = await start(logBlocks(3))
    await open({ from: 'earliest' })
    const first = await next(1)
    await ack(first)
    const second = await next(1)
    await gateway.close()
    const restarted = await startGateway({ chain, config: { dataDir } })
    const again = clientOf(restarted)
    expect(await again.next()).toEqual(second)
    expect(await again.ack(second)).toBe(true)
    expect(brief(await again.next())).toEqual(['+3.0'])
  })

  test('behavior: a cursor that another call closes while it is opened is created again', async () => {
    const memory = createMemoryFilterStore(ROOM)
    let closes = 1
    const store: FilterStore = {
      ...memory,
      async create(owner, filter, id) {
        const created = await memory.create(owner, filter, id)
        if (closes-- > 0) await memory.remove(created)
        return created
      },
    }
    const { open } = cursorsOf(store, windowedChain(), { newest: 5, solid: 3 })
    expect(await open('full')).toMatchObject({ created: true })
    expect(await open('full')).toMatchObject({ created: false })
  })

  test('behavior: a replica that lacks the end of a page waits for it', async () => {
    const chain = windowedChain()
    const store = createMemoryFilterStore(ROOM)
    const ahead = cursorsOf(store, chain, { newest: 5, solid: 5 })
    const behind = { newest: 3, solid: 2 }
    const other = cursorsOf(store, chain, behind)
    await ahead.open('full')
    const page = await ahead.next('full')
    expect(page.cursor).toMatch(/^5:/)
    const late = other.next('full')
    await sleep(50)
    behind.newest = 5
    expect(await late).toEqual(page)
    expect(await ahead.acknowledge('full', page.cursor)).toBe(true)
    // The other one has the blocks by now, but does not know yet that they are final.
    await ahead.open('solid')
    const final = await ahead.next('solid')
    await expect(other.next('solid')).rejects.toMatchObject({ code: -32603 })
    expect(await ahead.acknowledge('solid', final.cursor)).toBe(true)
  })

  test('behavior: after a restart, a page whose last block was removed meanwhile is read anew', async () => {
    const chain = windowedChain()
    const store = createMemoryFilterStore(ROOM)
    const before = cursorsOf(store, chain, { newest: 5, solid: 2 })
    await before.open('full')
    const page = await before.next('full')
    const hash: Hash = `0x${'ee'.repeat(32)}`
    const branch = chain.map((block) => (block.number === 5 ? { ...block, hash } : block))
    const after = cursorsOf(store, branch, { newest: 5, solid: 2 })
    expect((await after.next('full')).cursor).toBe(`5:${hash}`)
    expect(await after.acknowledge('full', page.cursor)).toBe(false)
    expect(await after.acknowledge('full', `5:${hash}`)).toBe(true)
  })

  test('behavior: a page with removed logs is the same again, whatever the limit is', async () => {
    const { ack, chain, next, open, sync } = await start(logBlocks(3))
    await open({ from: 'earliest' })
    await ack(await next())
    chain.reorg(2, [{ logs: [[log]] }, {}])
    await sync()
    const page = await next(1)
    expect(brief(page)).toEqual(['-3.0'])
    expect(await next()).toEqual(page)
    expect(await ack(page)).toBe(true)
    expect(brief(await next())).toEqual(['-2.0', '+2.0'])
  })

  test('error: an unknown name, another cursor, another filter, no place to keep it', async () => {
    const { ack, chain, gateway, next, open } = await start(logBlocks(1))
    await expect(next()).rejects.toMatchObject({ code: -32000 })
    await open({ from: 'earliest' })
    expect(await ack({ cursor: '9:0x09' })).toBe(false)
    await expect(open({ filter: { topics: [`0x${'aa'.repeat(32)}`] } })).rejects.toMatchObject({
      code: -32602,
    })
    await expect(
      gateway.rpc('ethgate_openCursor', { name: 'b', address: `0x${log.address}` }),
    ).rejects.toMatchObject({ code: -32602 })
    expect(await gateway.rpc('ethgate_closeCursor', { name: 'a' })).toBe(true)
    expect(await gateway.rpc('ethgate_closeCursor', { name: 'a' })).toBe(false)
    const homeless = await startGateway({ chain, config: { dataDir: 'none' } })
    await expect(clientOf(homeless).open({})).rejects.toMatchObject({ code: -32000 })
  })
})
