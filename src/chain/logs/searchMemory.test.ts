import { expect, test } from 'vitest'

import { createSearchMemory } from './searchMemory.ts'

const SMALL = 10

test('default: a search of few rows never waits', () => {
  const memory = createSearchMemory({ largeSearches: 1, small: SMALL })
  const large = memory.open()
  void large.add(SMALL + 1)
  expect(memory.open().add(SMALL)).toBeUndefined()
})

test('behavior: a large search waits until another one has ended', async () => {
  const memory = createSearchMemory({ largeSearches: 1, small: SMALL })
  const first = memory.open()
  await first.add(SMALL + 1)
  const second = memory.open()
  expect(second.add(SMALL)).toBeUndefined()
  let isWaiting = true
  const turn = second.add(1)?.then(() => (isWaiting = false))
  await new Promise((resolve) => setImmediate(resolve))
  expect(isWaiting).toBe(true)
  first.free()
  await turn
  expect(isWaiting).toBe(false)
})

test('behavior: all reads of one search wait together', async () => {
  const memory = createSearchMemory({ largeSearches: 1, small: SMALL })
  const search = memory.open()
  const turn = search.add(SMALL + 1)
  expect(search.add(1)).toBe(turn)
  await turn
  search.free()
  await expect(memory.open().add(SMALL + 1)).resolves.toBeUndefined()
})

test('behavior: a search that ends while it waits lets the next one continue', async () => {
  const memory = createSearchMemory({ largeSearches: 1, small: SMALL })
  const [first, second, third] = [memory.open(), memory.open(), memory.open()]
  await first.add(SMALL + 1)
  void second.add(SMALL + 1)
  const turn = third.add(SMALL + 1)
  second.free()
  first.free()
  await expect(turn).resolves.toBeUndefined()
})
