import { expect, test } from 'vitest'

import { addressFromKey } from '../native/protobuf/signature.ts'
import { accountOfKey } from './accountOfKey.ts'

/** The order of the curve: the first number that is no key. */
const ORDER = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141'

test('default: the account that the signing library computes', () => {
  const keys = ['11'.repeat(32), `0x${'0'.repeat(63)}1`, `0X${'Ab'.repeat(32)}`]
  expect(keys.map(accountOfKey)).toEqual(keys.map(addressFromKey))
  const last = (BigInt(`0x${ORDER}`) - 1n).toString(16)
  expect(accountOfKey(last)).toBe(addressFromKey(last))
})

test.for(['', '11', 'zz'.repeat(32), '00'.repeat(32), ORDER, 'ff'.repeat(32), '11'.repeat(33)])(
  'error: %s is no key',
  (key) => {
    expect(() => accountOfKey(key)).toThrow(new TypeError('not a private key'))
  },
)
