import { expect, test } from 'vitest'

import type { StopSignal } from '../../lib/stopSignal.ts'
import { NodeAnswerError, NodeTimeoutError } from '../../native/errors.ts'
import type { BlockRange } from '../reads/blockRange.ts'
import { createRuns } from './runs.ts'

/** A reader of numbers, and the ranges that it was asked for. */
function setup(read?: (range: BlockRange) => Promise<Map<number, string>>) {
  const ranges: [number, number][] = []
  const get = createRuns(async (range) => {
    ranges.push([range.from, range.to])
    if (read) return read(range)
    const { from, to } = range
    return new Map(Array.from({ length: to - from + 1 }, (_, at) => [from + at, `${from + at}`]))
  })
  return { get, ranges }
}

test('default: consecutive heights of one tick are read with one call', async () => {
  const { get, ranges } = setup()
  const heights = [7, 5, 6, 20, 6, 9, 10]
  expect(await Promise.all(heights.map((number) => get(number)))).toEqual([
    '7',
    '5',
    '6',
    undefined,
    '6',
    '9',
    '10',
  ])
  expect(ranges.toSorted(([a], [b]) => a - b)).toEqual([
    [5, 7],
    [9, 10],
  ])
})

test('default: a height alone is left to the caller, in each tick anew', async () => {
  const { get, ranges } = setup()
  expect(await get(5)).toBeUndefined()
  expect(await get(6)).toBeUndefined()
  expect(ranges).toEqual([])
})

test('behavior: heights that are requested after a few promises belong to the same tick', async () => {
  const { get, ranges } = setup()
  const later = async () => {
    for (let turn = 0; turn < 20; turn++) await Promise.resolve()
    return get(6)
  }
  expect(await Promise.all([get(5), later()])).toEqual(['5', '6'])
  expect(ranges).toEqual([[5, 6]])
})

test('behavior: a long run is read in parts', async () => {
  const { get, ranges } = setup()
  await Promise.all(Array.from({ length: 35 }, (_, number) => get(number)))
  expect(ranges).toEqual([
    [0, 15],
    [16, 31],
    [32, 34],
  ])
})

test('behavior: blocks that the answer lacks are left to the caller', async () => {
  const { get } = setup(async () => new Map([[5, 'five']]))
  expect(await Promise.all([get(5), get(6)])).toEqual(['five', undefined])
})

test('behavior: the call ends when the last caller has left', async () => {
  let signal: StopSignal | undefined
  const get = createRuns<string>((_, given) => {
    signal = given?.signal
    return new Promise((_, reject) =>
      signal?.addEventListener('abort', () => reject(given?.signal?.reason)),
    )
  })
  const [first, second] = [new AbortController(), new AbortController()]
  const reads = Promise.allSettled([get(5, first), get(6, second)])
  await new Promise(setImmediate)
  first.abort()
  expect(signal?.aborted).toBe(false)
  second.abort()
  expect(signal?.aborted).toBe(true)
  expect((await reads).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})

test('error: a failed call leaves the heights to the caller, unless the node is in trouble', async () => {
  const refused = setup(() => Promise.reject(new NodeAnswerError('no')))
  expect(await Promise.all([refused.get(5), refused.get(6)])).toEqual([undefined, undefined])
  const slow = setup(() => Promise.reject(new NodeTimeoutError(1)))
  const reads = await Promise.allSettled([slow.get(5), slow.get(6)])
  expect(reads.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})
