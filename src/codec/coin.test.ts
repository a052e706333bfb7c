import { expect, test } from 'vitest'

import { parseUnits, coinText, grouped, unitsText } from './coin.ts'

test('default: an amount is grouped, exact and without trailing zeros', () => {
  expect(coinText(1_234_500_000n, 6)).toBe('1,234.5 coins')
  expect(coinText(10n ** 18n, 18)).toBe('1 coin')
  expect(coinText(1n, 18)).toBe('0.000000000000000001 coins')
  expect(coinText(-1_500_000n, 6)).toBe('-1.5 coins')
})

test('args: decimals of a token', () => {
  expect(unitsText(1_234n, 0)).toBe('1,234')
  expect(unitsText(5n, 3)).toBe('0.005')
  expect(grouped(1_234_567)).toBe('1,234,567')
})

test('default: a decimal number that a person typed', () => {
  expect(parseUnits(' 1.5 ', 6)).toBe(1_500_000n)
  expect(parseUnits('007', 0)).toBe(7n)
  expect(parseUnits('2.', 2)).toBe(200n)
  for (const text of ['', '.5', '-1', '1e3', '0x1', '1.234'])
    expect(parseUnits(text, 2)).toBe(undefined)
})
