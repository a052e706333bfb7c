import fc from 'fast-check'
import { expect, test } from 'vitest'

import { sharesOf } from './shares.ts'

/** The next shares of workers with equal shares. */
const next = (...used: number[]) =>
  sharesOf(used.map((part) => ({ share: 1 / used.length, used: part }))).map((share) =>
    Number(share.toFixed(4)),
  )

test('default: equal shares without calls', () => {
  expect(next(0, 0, 0, 0)).toEqual([0.25, 0.25, 0.25, 0.25])
})

test('behavior: one worker with calls gets what the others do not use', () => {
  expect(next(0.25, 0, 0, 0)).toEqual([0.8125, 0.0625, 0.0625, 0.0625])
})

test('behavior: a worker that polls does not keep an equal part from one that uses all of its own', () => {
  expect(next(0.5, 0.2)).toEqual([0.7, 0.3])
})

test('behavior: workers that use their share get equal parts, and one that uses little keeps what it uses', () => {
  expect(next(0.33, 0.33, 0.1)).toEqual([0.425, 0.425, 0.15])
})

test('behavior: all together get the whole rate, and each gets a part', () => {
  const part = fc.double({ min: 0, max: 1, noNaN: true })
  const workers = fc.array(fc.record({ share: part, used: part }), { minLength: 1, maxLength: 64 })
  fc.assert(
    fc.property(workers, (given) => {
      const shares = sharesOf(given)
      expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9)
      expect(Math.min(...shares)).toBeGreaterThanOrEqual(1 / (4 * given.length) - 1e-9)
    }),
  )
})
