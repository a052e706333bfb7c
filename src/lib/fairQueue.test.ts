import { expect, test } from 'vitest'

import { createFairQueue } from './fairQueue.ts'

function drained(queue: ReturnType<typeof createFairQueue<string>>): string[] {
  const order: string[] = []
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) order.push(next)
  return order
}

test('default', () => {
  const queue = createFairQueue<string>()
  for (const entry of ['a1', 'a2', 'a3']) queue.add(entry, 'a')
  queue.add('b1', 'b')
  queue.add('c1', 'c')
  expect(queue.size).toBe(5)
  expect(drained(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'a3'])
  expect(queue.size).toBe(0)
})

test('args: weight', () => {
  const queue = createFairQueue<string>()
  for (let index = 1; index <= 4; index++) {
    queue.add(`a${index}`, 'a')
    queue.add(`b${index}`, 'b', 2)
  }
  expect(drained(queue).slice(0, 6)).toEqual(['b1', 'a1', 'b2', 'b3', 'a2', 'b4'])
})

test('behavior: the place of the next entry', () => {
  const queue = createFairQueue<string>()
  for (let index = 0; index < 100; index++) queue.add(`a${index}`, 'a')
  expect(queue.ahead('a')).toBe(100)
  expect(queue.ahead('b')).toBe(1)
  queue.add('b1', 'b')
  expect(queue.ahead('b')).toBe(3)
})

test('behavior: an owner that was idle does not save turns', () => {
  const queue = createFairQueue<string>()
  for (let index = 0; index < 5; index++) queue.add(`a${index}`, 'a')
  for (let index = 0; index < 5; index++) queue.shift()
  for (const entry of ['b1', 'b2', 'b3']) queue.add(entry, 'b')
  queue.add('a5', 'a')
  expect(drained(queue)).toEqual(['b1', 'a5', 'b2', 'b3'])
})

test('behavior: entries that are not ready keep their turn', () => {
  const queue = createFairQueue<string>()
  for (const entry of ['late 1', 'now 1', 'late 2']) queue.add(entry, 'a')
  queue.add('now 2', 'b')
  const isReady = (entry: string) => entry.startsWith('now')
  expect([queue.shift(isReady), queue.shift(isReady), queue.shift(isReady)]).toEqual([
    'now 2',
    'now 1',
    undefined,
  ])
  expect(drained(queue)).toEqual(['late 1', 'late 2'])
})

test('behavior: removed entries use no turn', () => {
  const queue = createFairQueue<string>()
  for (const entry of ['a1', 'a2', 'a3']) queue.add(entry, 'a')
  queue.remove('a3')
  queue.remove('unknown')
  queue.add('b1', 'b')
  expect(drained(queue)).toEqual(['a1', 'b1', 'a2'])
})
