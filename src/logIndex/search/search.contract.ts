import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'

import {
  address,
  indexBlocks,
  scan,
  scanAccounts,
  word,
} from '../../../test/support/indexBlocks.ts'
import { type Concerned, KINDS } from '../../codec/accounts.ts'
import type { PlainLog } from '../../codec/logPack/plainLog.ts'
import type { Engine } from '../engine/engine.ts'
import type { IndexBlock } from '../format/block.ts'
import { lastOf } from '../store/coverage.ts'
import { openFacts } from '../store/facts.ts'
import { mergeAppended, mergeFilled } from '../store/merge.ts'
import { createIndexStore } from '../store/store.ts'
import { createAccountSearcher } from './accounts.ts'
import { createSearcher, type SearchAnswer, type Searcher, type SearchRequest } from './search.ts'
import { type Search, searchSplit } from './split.ts'

/** Blocks 0 to 65,535 merged, then 2,048 filled, 1,024 appended and joined, and 128 appended. */
const MERGED = 65_536
const FILLED = MERGED + 2_048
const JOINED = FILLED + 1_024
const END = JOINED + 128

/** Every engine must find the same as a plain scan of the blocks, with any layout. */
export function testSearch({
  close,
  open,
  runs,
}: {
  open: () => Promise<Engine>
  close: () => Promise<void>
  runs: number
}): void {
  let engine: Engine
  let searcher: Searcher
  const blocks = indexBlocks(0, END, logsOf, transactionsOf)

  beforeAll(async () => {
    engine = await open()
    const facts = await openFacts(engine, { genesis: '00' })
    const store = createIndexStore({ engine, facts })
    for (let at = 0; at < FILLED; at += 1_024) await store.append(1, blocks.slice(at, at + 1_024))
    for (let at = FILLED; at < END; at += 64) await store.append(0, blocks.slice(at, at + 64))
    expect(await mergeAppended(engine)).toBe(true)
    expect(await mergeAppended(engine)).toBe(false)
    expect(await mergeFilled(engine, async () => {})).toBe(true)
    expect(await mergeFilled(engine, async () => {})).toBe(false)
    expect(await store.coverage()).toMatchObject([{ from: 0, to: END - 1 }])
    searcher = createSearcher({ deadline: 60_000, engine, facts })
  }, 120_000)

  afterAll(async () => {
    await engine?.close()
    await close()
  })

  async function found(request: SearchRequest): Promise<{ block: number; index: number }[]> {
    const answer = await searcher.search({ limit: 1e9, ...request })
    const rows = JSON.parse(`[${answer.bytes.toString()}]`) as {
      logIndex: string
      blockNumber: string
    }[]
    expect(rows.length).toBe(answer.count)
    expect(rows.map(({ blockNumber }) => Number(blockNumber))).toEqual([...answer.blocks])
    return rows.map(({ blockNumber, logIndex }) => ({
      block: Number(blockNumber),
      index: Number(logIndex),
    }))
  }

  test('behavior: random searches find what a plain scan finds', async () => {
    const value = fc.integer({ min: 0, max: 5 })
    const choice = fc.oneof(
      fc.constant(null),
      fc.array(value.map(word), { maxLength: 3 }),
      fc.constant(Array.from({ length: 100 }, (_, index) => word(index + 3))),
    )
    const height = fc.oneof(
      fc.integer({ min: 0, max: END + 10 }),
      fc.constantFrom(
        0,
        1_023,
        1_024,
        MERGED - 1,
        MERGED,
        FILLED - 1,
        FILLED,
        JOINED,
        END - 1,
        END,
      ),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(value.map(address), { maxLength: 3 }),
        fc.array(choice, { maxLength: 5 }),
        height,
        fc.integer({ min: 0, max: 70_000 }),
        async (addresses, topics, from, length) => {
          const request = { addresses, topics, from, to: from + length }
          expect(await found(request)).toEqual(scan(blocks, request))
        },
      ),
      { numRuns: runs },
    )
  }, 120_000)

  test('behavior: the transactions of an account are those that a plain scan finds', async () => {
    const facts = await openFacts(engine, { genesis: '00' })
    const accounts = createAccountSearcher({ deadline: 60_000, engine, facts })
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 7 }).map(address),
        fc.constantFrom('concerns' as const, 'created' as const),
        fc.constantFrom(0, KINDS.sent, KINDS.received | KINDS.tokens),
        fc.integer({ min: 0, max: END + 10 }),
        fc.integer({ min: 0, max: 70_000 }),
        fc.constantFrom(1, 25, 1e6),
        fc.constantFrom('newest' as const, 'oldest' as const),
        async (account, list, kinds, from, length, limit, order) => {
          const range = { from, to: from + length }
          const wanted = { account, kinds: list === 'created' ? 0 : kinds, list }
          const answer = await accounts.search({ ...range, ...wanted, limit, order })
          const all = scanAccounts(blocks, { ...range, ...wanted })
          if (order === 'newest') all.reverse()
          expect(answer.places).toEqual(all.slice(0, limit + 1))
          expect(answer.covered).toEqual(
            from >= END ? [] : [{ from, to: Math.min(range.to, END - 1) }],
          )
        },
      ),
      { numRuns: runs },
    )
  }, 120_000)

  test('behavior: a search that is split between two threads finds what one finds', async () => {
    const facts = await openFacts(engine, { genesis: '00' })
    const search = splitting(createSearcher({ deadline: 60_000, engine, facts, splitAfter: 0 }))
    let split = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 5 }).map(address), { minLength: 1, maxLength: 3 }),
        fc.option(fc.integer({ min: 0, max: 5 }).map(word)),
        fc.integer({ min: 0, max: END }),
        fc.integer({ min: 0, max: 70_000 }),
        fc.constantFrom(undefined, 0, 1, 100, 1_000, 10_000, 1e6),
        async (addresses, topic, from, length, limit) => {
          const topics = topic === null ? [] : [[topic]]
          const request = { addresses, topics, from, to: from + length, ...(limit && { limit }) }
          const [one, ...more] = await searchSplit(search, () => search, request)
          const [other] = more
          const whole = await searcher.search(request)
          expect(joined(one, other)).toEqual(joined(whole))
          if (!other) return
          split += 1
          expect(other.covered[0]?.from).toBe((one?.covered.at(-1)?.to ?? 0) + 1)
          expect(other.covered.at(-1)?.to).toBe(whole.covered.at(-1)?.to)
        },
      ),
      { numRuns: runs },
    )
    expect(split).toBeGreaterThan(0)
  }, 120_000)

  test('behavior: a reorg between the snapshots of two threads: all rows are of one branch', async () => {
    const facts = await openFacts(engine, { genesis: '00' })
    const store = createIndexStore({ engine, facts })
    const search = splitting(createSearcher({ deadline: 60_000, engine, facts, splitAfter: 0 }))
    const replace = async (tail: IndexBlock[]) => {
      await store.remove((await store.segments()).filter((segment) => lastOf(segment) >= JOINED))
      for (let at = 0; at < tail.length; at += 64) await store.append(0, tail.slice(at, at + 64))
    }
    const old = blocks.slice(JOINED)
    const branch = old.map((block, index) => ({
      ...block,
      hash: otherHash(block.hash),
      parentHash: index === 0 ? block.parentHash : otherHash(block.parentHash),
    }))
    const request = { addresses: [address(1)], topics: [], from: JOINED, to: END - 1, limit: 1e6 }
    let reorgs = 0
    try {
      const answers = await searchSplit(
        search,
        () => async (half) => {
          reorgs += 1
          await replace(branch)
          return search(half)
        },
        request,
      )
      const hashes = answers
        .flatMap(({ bytes }) => JSON.parse(`[${bytes.toString()}]`) as { blockHash: string }[])
        .map(({ blockHash }) => blockHash.slice(-2))
      expect(reorgs).toBe(1)
      expect(hashes.length).toBe(scan(blocks, request).length)
      expect(new Set(hashes)).toEqual(new Set(['cd']))
    } finally {
      await replace(old)
    }
  })

  test('behavior: rows are those of the node’s JSON-RPC, byte by byte', async () => {
    const [first] = blocks.filter(({ logs }) => logs.some(({ topics }) => topics.length === 4))
    const block = first as IndexBlock
    const { bytes, ends } = await searcher.search({
      addresses: [],
      topics: [],
      from: block.number,
      to: block.number,
      limit: 1_000,
    })
    expect(bytes.toString()).toBe(block.logs.map((log) => rowOf(block, log)).join(','))
    expect(ends.at(-1)).toBe(bytes.length)
  })

  test('behavior: stops at the limit, with one row more', async () => {
    const answer = await searcher.search({ addresses: [], topics: [], from: 0, to: END, limit: 10 })
    expect(answer.blocks.length).toBe(11)
    expect(answer.count).toBe(11)
  })

  test('behavior: without a limit it counts the rows', async () => {
    const request = { addresses: [address(2)], topics: [], from: 0, to: END }
    const answer = await searcher.search(request)
    expect(answer.count).toBe(scan(blocks, request).length)
    expect(answer.bytes.length).toBe(0)
  })

  test('behavior: says what is covered', async () => {
    const answer = await searcher.search({
      addresses: [],
      topics: [],
      from: END - 2,
      to: END + 50,
      limit: 1,
    })
    expect(answer.covered).toEqual([{ from: END - 2, to: END - 1 }])
  })

  test('behavior: the deadline ends a search after whole blocks', async () => {
    let time = 0
    const facts = await openFacts(engine, { genesis: '00' })
    const slow = createSearcher({ deadline: 50, engine, facts, now: () => (time += 30) })
    const request = { addresses: [address(1)], topics: [], from: 0, to: END, limit: 1e9 }
    const { blocks: rows, stoppedAfter = Infinity } = await slow.search(request)
    expect(stoppedAfter).toBeLessThan(END)
    expect([...rows].filter((block) => block <= stoppedAfter).length).toBe(
      scan(blocks, { ...request, to: stoppedAfter }).length,
    )
  })

  test('error: a signal ends a search', async () => {
    const facts = await openFacts(engine, { genesis: '00' })
    let time = 0
    const slow = createSearcher({ deadline: 1e9, engine, facts, now: () => (time += 30) })
    await expect(
      slow.search(
        { addresses: [address(1)], topics: [], from: 0, to: END },
        AbortSignal.abort(new Error('gone')),
      ),
    ).rejects.toThrow('gone')
  })
}

const splitting =
  (searcher: Searcher): Search =>
  (...call) =>
    searcher.search(...call)

/** The answers of two threads as one. */
function joined(...answers: (SearchAnswer | undefined)[]) {
  const found = answers.filter((answer) => answer !== undefined)
  return {
    count: found.reduce((sum, { count }) => sum + count, 0),
    blocks: found.flatMap(({ blocks }) => [...blocks]),
    rows: found.flatMap(({ bytes, ends }) =>
      Array.from(ends, (end, row) =>
        bytes.toString('latin1', row === 0 ? 0 : (ends[row - 1] ?? 0) + 1, end),
      ),
    ),
  }
}

const otherHash = (hash: string) => `${hash.slice(0, -2)}cd`

/** Uneven: most blocks are empty, some are dense, one contract is in nearly every one of those. */
function logsOf(number: number): Partial<PlainLog>[] {
  if (number % 9 > 0 && number % 1_000 > 30) return []
  const count = number % 1_000 === 7 ? 60 : (number * 7) % 5
  return Array.from({ length: count }, (_, index) => {
    const mixed = number * 31 + index * 17
    return {
      address: address(mixed % 3 > 0 ? 1 : mixed % 6),
      topics: Array.from({ length: mixed % 5 }, (_, position) =>
        word(position === 1 ? mixed % 400 : (mixed + position) % 6),
      ),
      data: index % 2 === 0 ? word(mixed) + 'ff'.repeat(20) + '00'.repeat(12) + '01' : '',
    }
  })
}

function rowOf(block: IndexBlock, log: PlainLog): string {
  return JSON.stringify({
    address: `0x${log.address}`,
    blockHash: `0x${block.hash}`,
    blockNumber: `0x${block.number.toString(16)}`,
    blockTimestamp: `0x${block.timestamp.toString(16)}`,
    data: `0x${log.data}`,
    logIndex: `0x${log.index.toString(16)}`,
    topics: log.topics.map((topic) => `0x${topic}`),
    transactionHash: `0x${log.transactionHash}`,
    transactionIndex: `0x${log.transactionIndex.toString(16)}`,
    removed: false,
  })
}

/** One busy account, and some that are rare. A contract is created now and then. */
function transactionsOf(number: number): Concerned[] {
  return Array.from({ length: number % 3 }, (_, index) => ({
    accounts: new Map([
      [address(1), KINDS.sent],
      [address(2 + ((number + index) % 5)), KINDS.received | (number % 7 === 0 ? KINDS.tokens : 0)],
      ...(number % 5_000 === 1 ? [[address(7), KINDS.internal] as const] : []),
    ]),
    created: number % 5_000 === 1 ? [{ contract: address(7), creator: address(1) }] : [],
  }))
}
