import { expect, test } from 'vitest'

import { createSearchMemory } from './searchMemory.ts'

const SMALL = 10

const create = () => createSearchMemory({ allSmall: 3 * SMALL, places: 1, small: SMALL })

/** Opens a search that holds rows and has a place if it may get one. */
async function openWith(memory: ReturnType<typeof create>, bytes: number) {
  const search = memory.open()
  search.add(bytes)
  await search.room()
  return search
}

async function isWaiting(room: Promise<void> | undefined): Promise<boolean> {
  let isOver = room === undefined
  void room?.then(() => (isOver = true))
  await new Promise((resolve) => setImmediate(resolve))
  return !isOver
}

test('default: a search of few rows does not wait', async () => {
  const memory = create()
  await openWith(memory, SMALL + 1)
  const search = memory.open()
  expect(search.room()).toBeUndefined()
  search.add(SMALL)
  expect(search.room()).toBeUndefined()
})

test('behavior: a large search waits until another one has ended', async () => {
  const memory = create()
  const first = await openWith(memory, SMALL + 1)
  const second = memory.open()
  second.add(SMALL + 1)
  expect(await isWaiting(second.room())).toBe(true)
  first.free()
  expect(await isWaiting(second.room())).toBe(false)
})

test('behavior: while many searches hold rows, others wait before their first', async () => {
  const memory = create()
  await openWith(memory, SMALL + 1)
  const few = [memory.open(), memory.open(), memory.open(), memory.open()]
  for (const search of few) search.add(SMALL)
  expect(await isWaiting(memory.open().room())).toBe(true)
  few[0]?.free()
  expect(memory.open().room()).toBeUndefined()
})

test('behavior: all reads of one search wait together', async () => {
  const memory = create()
  const first = await openWith(memory, SMALL + 1)
  const search = memory.open()
  search.add(SMALL + 1)
  const room = search.room()
  expect(search.room()).toBe(room)
  first.free()
  await room
  search.free()
  expect(await isWaiting((await openWith(memory, SMALL + 1)).room())).toBe(false)
})

test('behavior: a search that ends while it waits lets the next one continue', async () => {
  const memory = create()
  const first = await openWith(memory, SMALL + 1)
  const [second, third] = [memory.open(), memory.open()]
  for (const search of [second, third]) search.add(SMALL + 1)
  void second.room()
  const room = third.room()
  second.free()
  first.free()
  expect(await isWaiting(room)).toBe(false)
})
