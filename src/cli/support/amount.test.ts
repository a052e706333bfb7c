import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { formatCoins, formatUnits, group, parseCoins, parseUnits } from './amount.ts'
import { CommandError } from './errors.ts'

describe('parseCoins', () => {
  test('default', () => {
    expect(
      ['1coin', '1.5coin', '0.000001coin', '1500000sun', '1_000 coins', '9,000,000,000coin'].map(
        (text) => parseCoins(text, '--amount'),
      ),
    ).toEqual([1_000_000n, 1_500_000n, 1n, 1_500_000n, 1_000_000_000n, 9_000_000_000_000_000n])
  })

  test('behavior: every amount survives being written and read', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), (sun) => {
        expect(parseCoins(`${sun}sun`, '')).toBe(sun)
        expect(parseCoins(formatCoins(sun), '')).toBe(sun)
      }),
    )
  })

  test('error: no unit, too many decimals, more than an int64', () => {
    for (const text of [
      '1',
      '1.5',
      'coin',
      '-1coin',
      '1.5sun',
      '0.0000001coin',
      '9223372036855coin',
      '1e3coin',
    ])
      expect(() => parseCoins(text, '--amount')).toThrow(CommandError)
  })
})

test('parseUnits: decimals are exact', () => {
  expect(parseUnits('12.345', 6, '')).toBe(12_345_000n)
  expect(parseUnits('25', 0, '')).toBe(25n)
  expect(() => parseUnits('0.1', 0, '--amount')).toThrow('more than 0 decimals')
})

test('formatUnits: signs, groups, no trailing zeros', () => {
  expect(formatUnits(-1_234_567_890n, 6)).toBe('-1,234.56789')
  expect(formatUnits(5n, 0)).toBe('5')
  expect(group('14825')).toBe('14,825')
})
