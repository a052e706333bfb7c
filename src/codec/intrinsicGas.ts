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

/**
 * The intrinsic gas of a transaction by Ethereum's Prague rules. The chain has no such rule, but clients compute it and
 * refuse to sign with less.
 */
export function intrinsicGas({ data, to }: { data: Hex; to?: string | undefined }): bigint {
  const bytes = data.length / 2 - 1
  const tokens = BigInt(bytes + 3 * nonZeroBytes(data))
  const creation = to === undefined ? CREATION + PER_WORD * BigInt(Math.ceil(bytes / 32)) : 0n
  const charged = PER_TOKEN * tokens + creation
  const floor = FLOOR_PER_TOKEN * tokens
  return TRANSACTION + (charged > floor ? charged : floor)
}

function nonZeroBytes(data: Hex): number {
  let count = 0
  for (let at = 2; at < data.length; at += 2)
    if (data.charCodeAt(at) !== ZERO || data.charCodeAt(at + 1) !== ZERO) count += 1
  return count
}

const ZERO = '0'.charCodeAt(0)
