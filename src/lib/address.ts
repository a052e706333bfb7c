import { Buffer } from 'buffer'

import { keccak_256 } from '@noble/hashes/sha3.js'

import { toBase58, decodeBase58 } from './base58.ts'

/** An address as the node writes it: 21 bytes as 42 lower-case hex characters, the first byte `41`. */
export type HexAddress = string

/** The type `Address` of viem, without its types: programs that use no other part of viem need not have it. */
type Address = `0x${string}`

/** The zero address of Ethereum. */
export const ZERO_ADDRESS: Address = `0x${'0'.repeat(40)}`

/** The first byte of every account address of the node. */
const PREFIX = '41'

/**
 * The 20 bytes of an address as the node prints it: 21 bytes with the prefix, or bare 20 as in logs.
 *
 * Any other value becomes the zero address: genesis has ASCII text as owner and producer, and some transactions have no
 * owner.
 */
export function toRpcAddress(input: unknown): Address {
  if (typeof input !== 'string') return ZERO_ADDRESS
  if (input.length === 42) return `0x${input.slice(2)}`
  return input.length === 40 ? `0x${input}` : ZERO_ADDRESS
}

/** Like `toRpcAddress`, but null if there is no address. For `to`. */
export function toRpcAddressOrNull(input: unknown): Address | null {
  const isAddress = typeof input === 'string' && (input.length === 42 || input.length === 40)
  return isAddress ? toRpcAddress(input) : null
}

/** The 21 bytes of an address for the node: `41` and the 20 bytes, lower case, without `0x`. */
export function toNativeAddress(address: Address): HexAddress {
  return PREFIX + address.slice(2).toLowerCase()
}

/** The address of the contract that a transaction creates: the chain derives it from the transaction's id and sender. */
export function contractAddress(transactionId: string, from: Address): Address {
  const seed = Buffer.from(transactionId.replace(/^0x/, '') + toNativeAddress(from), 'hex')
  return `0x${Buffer.from(keccak_256(seed).subarray(12)).toString('hex')}`
}

/** The format that wallets of this chain show: base58 of the 21 bytes and the first four of their double SHA-256. */
export function toBase58Address(address: Address): string {
  return toBase58(toNativeAddress(address))
}

/**
 * Reads an address in any format: 20 bytes of hex, 21 bytes of hex that begin with 41 (`0x` optional in both), or
 * base58check. Undefined for any other text.
 */
export function parseAddress(input: string): Address | undefined {
  const hex = input.replace(/^0x/i, '').toLowerCase()
  if (/^[0-9a-f]{40}$/.test(hex)) return `0x${hex}`
  if (/^41[0-9a-f]{40}$/.test(hex)) return `0x${hex.slice(2)}`
  const bytes = decodeBase58(input)
  if (bytes?.length !== 21 || bytes[0] !== 0x41) return undefined
  return `0x${bytes.subarray(1).toString('hex')}`
}

/**
 * Whether a text is probably a native address without one of its 21 bytes. Without this check it would be read as an Ethereum address
 * without `0x`, which is another account.
 */
export function isShortNativeAddress(text: string): boolean {
  return /^41[0-9a-f]{38}$/i.test(text)
}

/** A 20-byte hex text with the checksum of EIP-55 in its letter case. Any other text is returned unchanged. */
export function withChecksum(text: string): string {
  if (!/^0x[0-9a-f]{40}$/i.test(text)) return text
  const hex = text.slice(2).toLowerCase()
  const hash = Buffer.from(keccak_256(Buffer.from(hex))).toString('hex')
  const letters = Array.from(hex, (letter, index) =>
    Number.parseInt(hash[index] ?? '0', 16) >= 8 ? letter.toUpperCase() : letter,
  )
  return `0x${letters.join('')}`
}

/**
 * Whether the letter case of `0x…` is a wrong EIP-55 checksum. All lower or all upper case has no checksum.
 */
export function hasWrongChecksum(address: string): boolean {
  const hex = address.slice(2)
  if (hex === hex.toLowerCase() || hex === hex.toUpperCase()) return false
  return withChecksum(address).slice(2) !== hex
}
