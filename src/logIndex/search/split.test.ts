import { expect, test } from 'vitest'

import type { SearchAnswer } from './search.ts'
import { type Search, searchSplit } from './split.ts'

const REQUEST = { addresses: [], topics: [], from: 0, to: 99, limit: 2 }
const HALF = { from: 50, anchor: { block: 63, hash: 'aa' } }

const answerOf = (...blocks: number[]): SearchAnswer => ({
  covered: [],
  reads: 0,
  count: blocks.length,
  blocks: Float64Array.from(blocks),
  ends: Uint32Array.from(blocks),
  bytes: Buffer.alloc(0),
})

/** A search that shares its second half at once. */
const splitting =
  (answer: SearchAnswer): Search =>
  async (_, __, onHalf) => {
    onHalf?.(HALF)
    return answer
  }

/** A search that ends when it is cancelled. */
const endless: Search = (_, signal) =>
  new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason))
  })

test('default: rows after the one that exceeds the limit are left out', async () => {
  const answers = await searchSplit(
    splitting(answerOf(1)),
    () => async () => answerOf(51, 52, 53),
    REQUEST,
  )
  expect(answers.map(({ blocks }) => [...blocks])).toEqual([[1], [51, 52]])
})

test('behavior: a second half that is not needed is cancelled', async () => {
  let cancelled: unknown
  const other: Search = async (_, signal) => {
    signal?.addEventListener('abort', () => (cancelled = signal.reason))
    return endless(REQUEST, signal)
  }
  for (const first of [answerOf(1, 2, 3), { ...answerOf(1), stoppedAfter: 20 }]) {
    cancelled = undefined
    expect(await searchSplit(splitting(first), () => other, REQUEST)).toEqual([first])
    expect(cancelled).toBeInstanceOf(Error)
  }
})

test('error: the failure of either half, which cancels the other', async () => {
  const failing: Search = async () => {
    throw new Error('broken')
  }
  await expect(searchSplit(splitting(answerOf(1)), () => failing, REQUEST)).rejects.toThrow(
    'broken',
  )
  let cancelled = false
  const first: Search = async (_, __, onHalf) => {
    onHalf?.(HALF)
    throw new Error('broken')
  }
  const other: Search = (_, signal) => {
    signal?.addEventListener('abort', () => (cancelled = true))
    return endless(REQUEST, signal)
  }
  await expect(searchSplit(first, () => other, REQUEST)).rejects.toThrow('broken')
  expect(cancelled).toBe(true)
})

test('error: a signal ends both halves', async () => {
  const gone = new AbortController()
  const first: Search = async (_, signal, onHalf) => {
    onHalf?.(HALF)
    setImmediate(() => gone.abort(new Error('gone')))
    return endless(REQUEST, signal)
  }
  await expect(searchSplit(first, () => endless, REQUEST, gone.signal)).rejects.toThrow('gone')
})
