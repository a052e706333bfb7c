import type { Hex } from 'viem'

/** Gas of every transaction. */
const TRANSACTION = 21_000n
/** Additional gas of a creation. */
const CREATION = 32_000n
/** Gas per token of call data. A zero byte is one token, any other byte is four (EIP-2028). */
const PER_TOKEN = 4n
/** Minimum gas per token of call data (EIP-7623). */
const FLOOR_PER_TOKEN = 10n
/** Gas per word of creation code (EIP-3860). */
const PER_WORD = 2n

/** The data and the receiver of a transaction. */
export type GasInput = { data: Hex; to?: string | undefined }

/**
 * The intrinsic gas of a transaction by Ethereum's Prague rules. The chain has no such rule, but clients compute it and
 * refuse to sign with less.
 */
export function intrinsicGas(input: GasInput): bigint {
  const { charged, floor } = transactionGas(input)
  return charged > floor ? charged : floor
}

/**
 * The gas that a transaction pays before it runs, and the least that it pays, by the rules of Prague.
 *
 * @param rules - Earlier hardforks have no least gas for call data and no price for the words of creation code.
 */
export function transactionGas(
  { data, to }: GasInput,
  { hasFloor = true, pricesWords = true }: { hasFloor?: boolean; pricesWords?: boolean } = {},
): { charged: bigint; floor: bigint } {
  const bytes = data.length / 2 - 1
  const tokens = BigInt(bytes + 3 * nonZeroBytes(data))
  const words = pricesWords ? PER_WORD * BigInt(Math.ceil(bytes / 32)) : 0n
  const creation = to === undefined ? CREATION + words : 0n
  return {
    charged: TRANSACTION + PER_TOKEN * tokens + creation,
    floor: hasFloor ? TRANSACTION + FLOOR_PER_TOKEN * tokens : 0n,
  }
}

function nonZeroBytes(data: Hex): number {
  let count = 0
  for (let at = 2; at < data.length; at += 2)
    if (data.charCodeAt(at) !== ZERO || data.charCodeAt(at + 1) !== ZERO) count += 1
  return count
}

const ZERO = '0'.charCodeAt(0)

/** The text of geth for a transaction whose tip is above its maximum fee. */
export const TIP_ABOVE_FEE = 'max priority fee per gas higher than max fee per gas'
