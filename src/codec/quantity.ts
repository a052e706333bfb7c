import type { Hex } from 'viem'

import type { Int64 } from '../native/types.ts'

/**
 * A quantity as JSON-RPC spells it: the shortest hex, `0x0` for zero and for an absent value.
 *
 * A quantity has no sign. The one negative amount of a chain is what genesis gives to the burn account (−2^63); it reads
 * as zero, because the two's complement that the node prints would show 9.2 × 10^18 sun that nobody can spend.
 */
export function toQuantity(value: Int64 | undefined): Hex {
  return value === undefined || value <= 0 ? '0x0' : `0x${value.toString(16)}`
}

/** Reads a field that may be an int64 or absent. Anything else is zero. */
export function toInt64(value: unknown): bigint {
  if (typeof value === 'bigint') return value
  return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : 0n
}

/** Converts the node's milliseconds to Ethereum's whole seconds. */
export function toSeconds(milliseconds: number | undefined): Hex {
  return toQuantity(Math.floor((milliseconds ?? 0) / 1000))
}

/** Hex of the node (without `0x`) as data; absent is empty. */
export function toData(hex: string | undefined): Hex {
  return `0x${hex ?? ''}`
}

/** A 32-byte field of the node; absent is 32 zero bytes. */
export function toHash(hex: string | undefined): Hex {
  return `0x${(hex ?? '').padStart(64, '0')}`
}
