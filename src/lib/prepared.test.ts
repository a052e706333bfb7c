import { expect, test } from 'vitest'

import { fromPrepared, ownPrepared, preparedObject, preparedOfParts } from './prepared.ts'

const LARGE = 64 * 1024

test('default: large parts with memory of their own are not copied, all others are', () => {
  const own = Buffer.allocUnsafeSlow(LARGE).fill('a')
  const slice = Buffer.allocUnsafeSlow(4 * LARGE)
    .subarray(0, LARGE)
    .fill('b')
  const input = preparedOfParts<unknown>([
    Buffer.from('['),
    slice,
    Buffer.from(','),
    own,
    Buffer.from(']'),
  ])
  const { bytes, parts = [] } = ownPrepared(input)
  expect(bytes.equals(input.bytes)).toBe(true)
  expect(parts.includes(own)).toBe(true)
  expect(parts.map(({ length }) => length)).toEqual([LARGE + 2, LARGE, 1])
  for (const part of parts) expect(part.length).toBe(part.buffer.byteLength)
})

test('behavior: an undefined member of an object is left out, as in JSON.stringify', () => {
  expect(fromPrepared(preparedObject({ a: undefined, b: 1, c: undefined, d: [2] }))).toEqual({
    b: 1,
    d: [2],
  })
})
