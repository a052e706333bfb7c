import type { Hex } from 'viem'

import type { Int64 } from '../native/wire/types.ts'

/**
 * A quantity of JSON-RPC: the shortest hex, `0x0` for zero and for an absent value.
 *
 * A quantity has no sign, so a negative amount becomes zero. Only genesis has one: −2^63 for the burn account. The two's
 * complement, which the node prints, would show 9.2 × 10^18 sun that do not exist.
 */
export function toQuantity(value: Int64 | undefined): Hex {
  return value === undefined || value <= 0 ? '0x0' : `0x${value.toString(16)}`
}

/** Reads an int64 field. An absent or other value becomes zero. */
export function toInt64(value: unknown): bigint {
  if (typeof value === 'bigint') return value
  return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : 0n
}

/** Converts the node's milliseconds to Ethereum's whole seconds. */
export function toSeconds(milliseconds: number | undefined): Hex {
  return toQuantity(Math.floor((milliseconds ?? 0) / 1000))
}

/** Hex of the node (without `0x`) as data; empty if absent. */
export function toData(hex: string | undefined): Hex {
  return `0x${hex ?? ''}`
}

/** A 32-byte field of the node; 32 zero bytes if absent. */
export function toHash(hex: string | undefined): Hex {
  return `0x${(hex ?? '').padStart(64, '0')}`
}
