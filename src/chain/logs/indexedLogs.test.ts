import { expect, test } from 'vitest'

import { UpstreamError } from '../../lib/errors.ts'
import { countInIndex, type IndexedLogs, joinRanges, searchIndex } from './indexedLogs.ts'

const EVERY = { addresses: [], topics: [] }
const RANGE = { from: 0, to: 99 }
const ASKED = { isOptional: true }

type Answer = Awaited<ReturnType<IndexedLogs['search']>>[number]

/** An index with answers for two halves, with a row in some blocks of each. */
function halves(first: number[], second: number[], more: Partial<Answer> = {}): IndexedLogs {
  const answerOf = (from: number, to: number, blocks: number[]): Answer => ({
    covered: [{ from, to }],
    count: blocks.length,
    blocks,
    bytes: Buffer.from(blocks.join()),
    ends: blocks.map((_, row) => blocks.slice(0, row + 1).join().length),
  })
  return {
    search: async () => [answerOf(0, 49, first), { ...answerOf(50, 99, second), ...more }],
  }
}

/** The parts of an answer with their text. */
async function found(index: IndexedLogs, limit: number) {
  const { end, parts } = await searchIndex(index, RANGE, EVERY, { isOptional: true, limit })
  return {
    end,
    parts: parts.map(({ chunk, from, to }) => [from, to, chunk.pieces(chunk.count).join()]),
  }
}

test('default: joins the answers of two threads', async () => {
  expect(await found(halves([3, 5], [70]), 10)).toEqual({
    end: 99,
    parts: [
      [0, 49, '3,5'],
      [50, 99, '70'],
    ],
  })
  expect(await countInIndex(halves([3, 5], [70]), RANGE, EVERY, ASKED)).toMatchObject({
    count: 3,
  })
})

test('behavior: ends at the row that exceeds the limit, in either answer', async () => {
  expect(await found(halves([3, 5, 6], [70]), 2)).toEqual({ end: 6, parts: [[0, 6, '3,5,6']] })
  expect(await found(halves([3, 5], [70, 71]), 3)).toEqual({
    end: 71,
    parts: [
      [0, 49, '3,5'],
      [50, 71, '70,71'],
    ],
  })
})

test('error: a second answer that ran out of time', async () => {
  const index = halves([3, 5], [70], { stoppedAfter: 80 })
  const data = { from: '0x0', to: '0x50' }
  await expect(found(index, 10)).rejects.toMatchObject({ data })
  await expect(countInIndex(index, RANGE, EVERY, ASKED)).rejects.toMatchObject({ data })
})

test('behavior: an index that cannot be read covers nothing', async () => {
  const failure = new UpstreamError('the log index cannot be read, try again later')
  const index: IndexedLogs = { search: () => Promise.reject(failure) }
  expect(await searchIndex(index, RANGE, EVERY, { ...ASKED, limit: 10 })).toEqual({
    end: 99,
    failure,
    parts: [],
  })
  expect(await countInIndex(index, RANGE, EVERY, ASKED)).toEqual({ count: 0, failure, parts: [] })
})

test('error: a client that has left', async () => {
  const gone = new AbortController()
  gone.abort(new Error('gone'))
  const index: IndexedLogs = { search: () => Promise.reject(new UpstreamError('it failed')) }
  const asked = { ...ASKED, call: gone, limit: 10 }
  await expect(searchIndex(index, RANGE, EVERY, asked)).rejects.toThrow('gone')
})

test('behavior: neighbouring ranges are joined', () => {
  const ranges = [
    { from: 0, to: 49 },
    { from: 50, to: 60 },
    { from: 70, to: 99 },
  ]
  expect(joinRanges(ranges)).toEqual([
    { from: 0, to: 60 },
    { from: 70, to: 99 },
  ])
})
