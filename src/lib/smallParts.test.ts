import { expect, test } from 'vitest'

import { createSmallParts } from './smallParts.ts'

test('default: only bodies of very many tiny parts wait', () => {
  const smallParts = createSmallParts(async () => {})
  expect(smallParts(1, 1)).toBeUndefined()
  expect(smallParts(2_047, 2_047)).toBeUndefined()
  expect(smallParts(2_048, 2_048 * 64)).toBeUndefined()
  expect(smallParts(2_048, 2_048)).toBeInstanceOf(Promise)
})

test('behavior: one body after the other goes on', async () => {
  const waits: (() => void)[] = []
  const smallParts = createSmallParts(() => new Promise((resolve) => waits.push(resolve)))
  const done: number[] = []
  const bodies = [1, 2, 3].map(async (body) => {
    await smallParts(2_048, 2_048)
    done.push(body)
  })
  for (const body of [1, 2, 3]) {
    await new Promise(setImmediate)
    expect([waits.length, done.length]).toEqual([body, body - 1])
    waits.at(-1)?.()
  }
  await Promise.all(bodies)
  expect(done).toEqual([1, 2, 3])
})
