import { expect, test } from 'vitest'

import { newId } from './id.ts'

test('default: 32 hex digits without a leading zero, different each time', () => {
  const ids = Array.from({ length: 1_000 }, newId)
  for (const id of ids) {
    expect(id).toMatch(/^0x[1-9a-f][0-9a-f]{31}$/)
    expect(`0x${BigInt(id).toString(16)}`).toBe(id)
  }
  expect(new Set(ids).size).toBe(ids.length)
})
