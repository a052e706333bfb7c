import type { ChainBlock } from '../blocks/block.ts'

/** A base fee changes by at most one in so many from a block to the next (EIP-1559). */
const MAX_CHANGE = 8n

/** The base fee rises when a block used more than its gas limit divided by this (EIP-1559). */
const ELASTICITY = 2n

/**
 * The base fee of the block after another one, by EIP-1559: it falls after a block that used less than half of its gas limit, and rises
 * after one that used more.
 *
 * @param block - The earlier block.
 * @param options.baseFee - The base fee of the earlier block.
 * @param options.gasLimit - The gas limit of the earlier block. Here it limits a transaction, so a block can use more.
 */
export function baseFeeAfter(
  { infos }: Pick<ChainBlock, 'infos'>,
  { baseFee, gasLimit }: { baseFee: bigint; gasLimit: bigint },
): bigint {
  const used = infos.reduce((sum, { receipt }) => sum + (receipt?.energy_usage_total ?? 0), 0)
  const target = gasLimit / ELASTICITY
  const above = BigInt(used) - target
  if (above === 0n || target === 0n) return baseFee
  const change = (baseFee * (above > 0n ? above : -above)) / target / MAX_CHANGE
  if (above < 0n) return baseFee - change
  return baseFee + (change > 0n ? change : 1n)
}
