import type { Hash } from 'viem'
import { expect, test } from 'vitest'

import type { LogBlock } from './logBlock.ts'
import { emptyChunk } from './logChunk.ts'
import { createSolidCache } from './solidCache.ts'

const hash = (text: string): Hash => `0x${text.padStart(64, '0')}`
const block = (number: number, text: string): LogBlock => ({
  bytes: 10,
  id: { hash: hash(text), number },
  count: () => 0,
  logs: () => emptyChunk(number),
})

function setup() {
  const chain = { epoch: 0, hashes: new Map<number, Hash>() }
  const cache = createSolidCache<LogBlock>({
    blocks: { epoch: () => chain.epoch, hashAt: (number) => chain.hashes.get(number) },
    bytes: 30,
  })
  return { cache, chain }
}

test('default', () => {
  const { cache } = setup()
  cache.put(block(1, 'a'), 0)
  expect(cache.get(1)?.id.hash).toBe(hash('a'))
  expect(cache.get(2)).toBeUndefined()
})

test('behavior: memory is bounded', () => {
  const { cache } = setup()
  for (const number of [1, 2, 3, 4]) cache.put(block(number, 'a'), 0)
  expect([1, 2, 3, 4].map((number) => cache.get(number) !== undefined)).toEqual([
    false,
    true,
    true,
    true,
  ])
})

test('behavior: a block that is not canonical at its height is not returned', () => {
  const { cache, chain } = setup()
  cache.put(block(1, 'a'), 0)
  chain.hashes.set(1, hash('b'))
  expect(cache.get(1)).toBeUndefined()
})

test('behavior: the cache is emptied when the chain goes back below its solidified block', () => {
  const { cache, chain } = setup()
  cache.put(block(1, 'a'), 0)
  chain.epoch = 1
  expect(cache.get(1)).toBeUndefined()
  // A block that was requested before and arrived after.
  cache.put(block(1, 'a'), 0)
  expect(cache.get(1)).toBeUndefined()
  cache.put(block(1, 'b'), 1)
  expect(cache.get(1)?.id.hash).toBe(hash('b'))
})
