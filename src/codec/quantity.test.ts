import { expect, test } from 'vitest'

import { toData, toHash, toInt64, toQuantity, toSeconds } from './quantity.ts'

test('default', () => {
  expect([
    toQuantity(0),
    toQuantity(255),
    toQuantity(2n ** 63n - 1n),
    toQuantity(undefined),
  ]).toEqual(['0x0', '0xff', '0x7fffffffffffffff', '0x0'])
})

test('behavior: a negative amount becomes zero', () => {
  expect([toQuantity(-1), toQuantity(-(2n ** 63n))]).toEqual(['0x0', '0x0'])
})

test('behavior: any value but an int64 becomes zero', () => {
  expect([7, 7n, undefined, '7', 1.5, {}].map(toInt64)).toEqual([7n, 7n, 0n, 0n, 0n, 0n])
})

test('behavior: milliseconds become whole seconds', () => {
  expect([toSeconds(1999), toSeconds(1), toSeconds(undefined)]).toEqual(['0x1', '0x0', '0x0'])
})

test('behavior: absent bytes are empty, absent hashes are zero', () => {
  expect([toData(undefined), toData('00ff'), toHash('01'), toHash(undefined)]).toEqual([
    '0x',
    '0x00ff',
    `0x${'1'.padStart(64, '0')}`,
    `0x${'0'.repeat(64)}`,
  ])
})
