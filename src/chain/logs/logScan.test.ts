import { expect, test } from 'vitest'

import type { Call } from '../../lib/call.ts'
import { createStop } from '../../lib/stopSignal.ts'
import { countedChunk } from '../blocks/logChunk.ts'
import { createLogMatcher } from '../blocks/logMatch.ts'
import type { readHinted } from './hintedLogs.ts'
import type { HintedBlock } from './logHints.ts'
import { logsOfRange } from './logs.ts'
import { scanBlocks } from './logScan.ts'
import type { SearchedBlock } from './spans.ts'

const MATCH = { addresses: [`0x${'11'.repeat(20)}`], topics: [] }
const matcher = createLogMatcher(MATCH)
const hash = (number: number) => `0x${number.toString(16).padStart(64, '0')}` as const

const blockAt = (number: number) =>
  ({ id: { number, hash: hash(number) }, count: () => 1 }) as unknown as SearchedBlock

/** Blocks of which the first is answered when the test says so. The others never are, as those of a node that hangs. */
function createSpans() {
  let fail: (error: Error) => void = () => {}
  const first = new Promise<SearchedBlock[]>((_, reject) => (fail = reject))
  const calls: Call[] = []
  const read = (from: number, _: number, call?: Call): Promise<(SearchedBlock | undefined)[]> => {
    if (call) calls.push(call)
    if (from === 0) return first
    return new Promise<never>((_, reject) => {
      call?.signal?.addEventListener('abort', () => reject(call.signal?.reason))
    })
  }
  return {
    fail,
    calls,
    spans: {
      has: () => false,
      read,
      readOne: (number: number, call?: Call) => read(number, number, call).then(([block]) => block),
      run: <result>(work: () => Promise<result>) => work(),
      step: () => 1,
    },
  }
}

test('default: as many blocks as the limit needs', async () => {
  const { spans } = createSpans()
  const read = async (from: number) => [blockAt(from)]
  const found = await scanBlocks({ from: 0, to: 99 }, matcher, {
    limit: 10,
    pins: new Map(),
    spans: { ...spans, read },
    take: (block) => countedChunk(block.id.number, 1),
  })
  expect(found?.chunks.length).toBeGreaterThan(10)
  expect(found?.chunks.length).toBeLessThan(20)
})

test('error: a span that fails stops the others, which count for the caller until then', async () => {
  const { calls, fail, spans } = createSpans()
  const meter = { cost: 0, charged: 0 }
  const client = createStop()
  const scanning = scanBlocks({ from: 0, to: 99 }, matcher, {
    call: { meter, signal: client },
    limit: 1_000,
    pins: new Map(),
    spans,
    take: (block) => countedChunk(block.id.number, 1),
  })
  expect(calls.map((call) => call.meter)).toEqual([meter, meter, meter, meter])
  fail(new Error('the node failed'))
  await expect(scanning).rejects.toThrow('the node failed')
  expect(calls.map(({ signal }) => signal?.aborted)).toEqual([true, true, true, true])
  await new Promise(setImmediate)
  expect(calls).toHaveLength(4)
  expect(client.aborted).toBe(false)
})

test('error: a block of a hint that fails stops the others, and the searches of the node', async () => {
  const { calls, fail, spans } = createSpans()
  const hinted = (number: number): HintedBlock => ({
    hash: hash(number),
    number,
    count: 5,
    transactions: Array.from({ length: 5 }, (_, index) => ({
      id: hash(index),
      index,
      logIndexes: [index],
    })),
  })
  let searching: Call | undefined
  const wallet = { getTransactionLogsById: () => {}, getTransactionLogsByBlockNum: () => {} }
  const search = logsOfRange({ from: 0, to: 99 }, MATCH, {
    blocks: { epoch: () => 0, hashAt: () => undefined },
    head: { solid: () => ({ number: 99, hash: hash(99), parentHash: hash(98), timestamp: 0 }) },
    hints: {
      blocksWith(_range, _match, { call }) {
        searching = call
        const list = Array.from({ length: 50 }, (_, number) => hinted(number))
        return [Promise.resolve(list), new Promise(() => {})]
      },
    },
    maxBlocks: 100,
    maxResults: 1_000,
    native: { wallet } as unknown as readHinted.Options['native'],
    spans,
  })
  await new Promise(setImmediate)
  const reads = calls.length
  expect(reads).toBeGreaterThan(4)
  fail(new Error('the node failed'))
  await expect(search).rejects.toThrow('the node failed')
  expect(searching?.signal?.aborted).toBe(true)
  expect(calls.every(({ signal }) => signal?.aborted)).toBe(true)
  await new Promise(setImmediate)
  expect(calls).toHaveLength(reads)
})
