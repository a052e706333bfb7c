import { Buffer } from 'buffer'

import { sha256 } from '@noble/hashes/sha2.js'
import bs58 from 'bs58'

/** Maximum number of characters of the 25 bytes of an address. Decoding takes quadratic time, so longer texts are not decoded. */
const MAX_LENGTH = 35

/**
 * The base58check text of an address: base58 of its bytes and the first four bytes of their double SHA-256.
 *
 * @param address - hex without `0x`, usually 42 characters.
 */
export function toBase58(address: string): string {
  const bytes = Buffer.from(address, 'hex')
  return bs58.encode(Buffer.concat([bytes, checksum(bytes)]))
}

/**
 * The bytes of a base58check address.
 *
 * @throws TypeError when the text is not base58, too long for an address, or its checksum is wrong.
 */
export function fromBase58(text: string): Buffer {
  const address = decodeBase58(text)
  if (!address) throw new TypeError(`wrong base58 checksum: ${text.slice(0, MAX_LENGTH)}`)
  return address
}

/** Like `fromBase58`, but undefined instead of an error. */
export function decodeBase58(text: string): Buffer | undefined {
  if (text.length > MAX_LENGTH) return undefined
  const bytes = Buffer.from(bs58.decodeUnsafe(text) ?? [])
  const address = bytes.subarray(0, -4)
  const isWhole = bytes.length >= 5 && checksum(address).equals(bytes.subarray(-4))
  return isWhole ? address : undefined
}

function checksum(bytes: Uint8Array): Buffer {
  return Buffer.from(sha256(sha256(bytes)).subarray(0, 4))
}
