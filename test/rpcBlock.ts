import { toRpcHeader, toRpcTransactions } from '../src/codec/block.ts'
import { toHash } from '../src/codec/quantity.ts'
import type { RpcBlock } from '../src/codec/types.ts'
import type { Block, TransactionInfo } from '../src/native/types.ts'

/** A block in the format of `eth_getBlockBy*`, built at once. The gateway builds the same answer from cached bytes. */
export function toRpcBlock(
  block: Block,
  infos: readonly TransactionInfo[],
  options: toRpcBlock.Options,
): RpcBlock {
  return {
    ...toRpcHeader(block, infos, options),
    transactions: options.full
      ? toRpcTransactions(block, infos, options)
      : (block.transactions ?? []).map(({ txID }) => toHash(txID)),
    uncles: [],
  }
}

export declare namespace toRpcBlock {
  type Options = toRpcHeader.Options & {
    full: boolean
    chainId: number
    /** Sun, as of the block's time. */
    energyPrice: bigint
  }
}
