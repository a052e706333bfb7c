import { expect, test } from 'vitest'

import { emptyChunk } from '../blocks/logChunk.ts'
import { cursorText, logsAfter, parseCursor } from './logsAfter.ts'

const hashAt = (number: number) =>
  `0x${number.toString(16).padStart(16, '0')}${'ab'.repeat(24)}` as const
const idOf = (number: number) => ({ hash: hashAt(number), number })

/** A page of a chain without logs that is indexed, and the limits of its searches. */
async function page(cursor: Parameters<typeof cursorText>[0], range = { from: 0, to: 900 }) {
  const limits: unknown[] = []
  const block = (number: number) => ({
    count: () => 0,
    id: idOf(number),
    logs: () => emptyChunk(number),
  })
  const fails = () => Promise.reject(new Error('not expected'))
  const found = await logsAfter(
    range,
    { addresses: [], topics: [] },
    {
      blocks: { epoch: () => 0, hashAt },
      cursor: parseCursor(cursorText(cursor)),
      head: { solid: () => ({ ...idOf(1_000), parentHash: hashAt(999), timestamp: 0 }) },
      index: {
        async search({ from, limit, to }) {
          limits.push(limit)
          const rows = { blocks: [], bytes: Buffer.alloc(0), ends: [] }
          return [{ ...rows, count: 0, covered: [{ from, to }] }]
        },
      },
      limit: 10,
      maxBlocks: 0,
      native: { wallet: { getTransactionLogsById: fails, getTransactionLogsByBlockNum: fails } },
      resolve: async (number) => idOf(number),
      spans: {
        has: () => false,
        read: fails,
        readOne: async (number) => block(number),
        run: (call) => call(),
        step: () => 1,
      },
    },
  )
  return { found, limits }
}

test('behavior: the index of a log in a cursor does not raise the limit of the search', async () => {
  for (const index of [0, 5, 0xfffffffe])
    expect((await page({ ...idOf(7), index })).limits).toEqual([10])
})

test('behavior: a cursor outside of the range reads nothing outside of it', async () => {
  const range = { from: 100, to: 200 }
  expect((await page({ ...idOf(7), index: 3 }, range)).limits).toEqual([10])
  const { found, limits } = await page({ ...idOf(500), index: 3 }, range)
  expect(limits).toEqual([])
  expect(found.next).toBe(undefined)
})

test('error: a text that is no cursor', () => {
  const cursor = cursorText({ ...idOf(7), index: 3 })
  expect(parseCursor(cursor)).toEqual({ ...idOf(7), index: 3 })
  // No block has a height above 2^53.
  for (const text of ['0x', cursor.slice(0, -1), `0x${'ff'.repeat(36)}`, `0x002${cursor.slice(5)}`])
    expect(() => parseCursor(text)).toThrow('expected a cursor of an earlier page')
})
