import fc from 'fast-check'
import type { Hex } from 'viem'
import { privateKeyToAccount, sign } from 'viem/accounts'
import { expect, test } from 'vitest'

import { recoverSender } from './recover.ts'

const HASH: Hex = `0x${'12'.repeat(32)}`
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const hex = (value: bigint): Hex => `0x${value.toString(16)}`

test('default: recovers the signer for any key and hash', async () => {
  const words = fc.bigInt({ min: 1n, max: ORDER - 1n })
  await fc.assert(
    fc.asyncProperty(words, words, async (key, content) => {
      const privateKey: Hex = `0x${key.toString(16).padStart(64, '0')}`
      const hash: Hex = `0x${content.toString(16).padStart(64, '0')}`
      const { r, s, yParity = 0 } = await sign({ hash, privateKey })
      const { address } = privateKeyToAccount(privateKey)
      // Quantities have no leading zeros.
      const short = { r: hex(BigInt(r)), s: hex(BigInt(s)), parity: yParity }
      expect(recoverSender(hash, short)).toBe(address.toLowerCase())
    }),
    { numRuns: 20 },
  )
})

test.each([
  { r: hex(0n), s: hex(1n), parity: 0 },
  { r: hex(1n), s: hex(0n), parity: 0 },
  { r: hex(ORDER), s: hex(1n), parity: 0 },
  { r: hex(1n), s: hex(ORDER), parity: 1 },
  { r: hex(1n), s: hex(1n), parity: 2 },
  { r: hex(1n), s: hex(1n), parity: Number.NaN },
  { r: hex(2n ** 260n), s: hex(1n), parity: 0 },
  // The curve has no point with this coordinate.
  { r: hex(5n), s: hex(1n), parity: 0 },
])('error: $r, $s, $parity has no signer', (signature) => {
  expect(() => recoverSender(HASH, signature)).toThrow(/./)
})
