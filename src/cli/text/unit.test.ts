import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { grouped } from '../../codec/coin.ts'
import { CommandError } from '../base/errors.ts'
import { createUnit } from './unit.ts'

const sun = createUnit(6)
const wei = createUnit(18)

describe('read', () => {
  test('default', () => {
    expect(
      ['1coin', '1.5coin', '0.000001coin', '1500000sun', '1_000 coins', '9,000,000,000coin'].map(
        (text) => sun.read(text, '--value'),
      ),
    ).toEqual([1_000_000n, 1_500_000n, 1n, 1_500_000n, 1_000_000_000n, 9_000_000_000_000_000n])
    expect(['1.5coin', '7wei'].map((text) => wei.read(text, '--value'))).toEqual([
      1_500_000_000_000_000_000n,
      7n,
    ])
  })

  test('behavior: every amount survives being written and read', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), (amount) => {
        expect(sun.read(`${amount}sun`, '')).toBe(amount)
        expect(sun.read(sun.text(amount), '')).toBe(amount)
        expect(wei.read(wei.text(amount), '')).toBe(amount)
      }),
    )
  })

  test('error: no unit, another unit, too many decimals, more than an int64', () => {
    const wrong = ['1', '1.5', 'coin', '-1coin', '1.5sun', '0.0000001coin', '9223372036855coin']
    for (const text of [...wrong, '1,5coin', '1e3coin', '1trx', '1ether', '1wei'])
      expect(() => sun.read(text, '--value')).toThrow(CommandError)
    expect(() => wei.read('1sun', '--value')).toThrow('the units of this chain are coin and wei')
    expect(() => sun.read('1trx', '--value')).toThrow(
      '"1trx" has the unit trx: the units of this chain are coin and sun (1 coin = 1,000,000 sun), such as 1coin',
    )
    expect(() => sun.read('1.5', '--value')).toThrow('has no unit: write 1.5coin')
  })
})

test('text: groups, no trailing zeros', () => {
  expect(sun.text(1_234_567_890n)).toBe('1,234.56789 coins')
  expect(wei.text(10n ** 22n)).toBe('10,000 coins')
  expect(grouped('14825')).toBe('14,825')
})
