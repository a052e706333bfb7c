import fc from 'fast-check'
import { expect, test } from 'vitest'

import { sharesOf } from './shares.ts'

const rounded = (shares: number[]) => shares.map((share) => Number(share.toFixed(4)))

test('default: equal shares without calls', () => {
  expect(sharesOf([0, 0, 0, 0])).toEqual([0.25, 0.25, 0.25, 0.25])
})

test('behavior: one worker with calls gets what the others do not use', () => {
  expect(rounded(sharesOf([0.25, 0, 0, 0]))).toEqual([0.8125, 0.0625, 0.0625, 0.0625])
})

test('behavior: workers that use their share get equal parts, and one that uses little keeps what it uses', () => {
  expect(rounded(sharesOf([0.45, 0.45, 0.01]))).toEqual([0.4583, 0.4583, 0.0833])
})

test('behavior: all together get the whole rate, and nobody gets nothing', () => {
  const parts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), {
    minLength: 1,
    maxLength: 64,
  })
  fc.assert(
    fc.property(parts, (used) => {
      const shares = sharesOf(used)
      expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9)
      expect(Math.min(...shares)).toBeGreaterThanOrEqual(1 / (4 * used.length) - 1e-9)
    }),
  )
})
