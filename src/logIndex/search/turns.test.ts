import { expect, test } from 'vitest'

import { createTurns, TURN } from './turns.ts'

/** Lets searches wait at once. Returns their names in the order of their turns. */
async function orderOf(searches: readonly (readonly [name: string, worked: number])[]) {
  const turns = createTurns()
  const order: string[] = []
  await Promise.all(
    searches.map(async ([name, worked]) => {
      await turns.next(worked)
      order.push(name)
    }),
  )
  return order
}

test('default: the search that has worked less goes first', async () => {
  const order = await orderOf([
    ['long', TURN * 100],
    ['short', TURN],
  ])
  expect(order).toEqual(['short', 'long'])
})

test('behavior: searches that have worked about as much go in order', async () => {
  const order = await orderOf([
    ['a', TURN * 2],
    ['b', TURN],
    ['c', TURN * 3],
  ])
  expect(order).toEqual(['a', 'b', 'c'])
})

test('behavior: one search in an event loop tick, so that new calls come between', async () => {
  const turns = createTurns()
  let tick = 0
  let counting = setImmediate(function count() {
    tick += 1
    counting = setImmediate(count)
  })
  const ticks = await Promise.all(
    ['a', 'b', 'c'].map(async () => {
      await turns.next(TURN)
      return tick
    }),
  )
  clearImmediate(counting)
  expect(new Set(ticks).size).toBe(3)
})

test('behavior: a long search gets turns while short ones come', async () => {
  const turns = createTurns()
  const long = { isOver: false }
  const waiting = turns.next(TURN * 1_000).then(() => (long.isOver = true))
  let short = 0
  const coming = Array.from({ length: 2 }, async () => {
    while (!long.isOver) {
      await turns.next(TURN)
      short += 1
    }
  })
  await Promise.all([waiting, ...coming])
  expect(short).toBeGreaterThan(0)
})
