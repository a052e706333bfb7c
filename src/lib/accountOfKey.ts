import { createECDH } from 'node:crypto'

import { keccak_256 } from '@noble/hashes/sha3.js'

import type { HexAddress } from './address.ts'

/**
 * The account of a private key (32 bytes of hex, with or without `0x`): `41` and the last 20 bytes of the keccak-256 of its public
 * key. Node's own curve needs no tables, which take a JavaScript library 50 ms at the first key.
 *
 * @throws TypeError when the key is not a secp256k1 private key. The message does not contain the key.
 */
export function accountOfKey(key: string): HexAddress {
  const digits = key.replace(/^0x/i, '')
  if (!/^[0-9a-f]{64}$/i.test(digits)) throw new TypeError('not a private key')
  const curve = createECDH('secp256k1')
  try {
    curve.setPrivateKey(digits, 'hex')
  } catch {
    throw new TypeError('not a private key')
  }
  const publicKey = curve.getPublicKey().subarray(1)
  return `41${Buffer.from(keccak_256(publicKey).subarray(12)).toString('hex')}`
}
