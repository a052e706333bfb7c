import { toRpcBlock, toRpcHeader, toRpcTransactions } from '../../src/codec/block.ts'
import { toHash } from '../../src/codec/quantity.ts'
import type { RpcBlock } from '../../src/codec/types.ts'
import type { Block, TransactionInfo } from '../../src/native/wire/types.ts'

/** A block in the format of `eth_getBlockBy*`, built at once. The gateway builds the same answer from cached bytes. */
export function rpcBlockOf(
  block: Block,
  infos: readonly TransactionInfo[],
  options: rpcBlockOf.Options,
): RpcBlock {
  return toRpcBlock(
    toRpcHeader(block, infos, options),
    options.full
      ? toRpcTransactions(block, infos, options)
      : (block.transactions ?? []).map(({ txID }) => toHash(txID)),
  )
}

export declare namespace rpcBlockOf {
  type Options = toRpcHeader.Options & {
    full: boolean
    chainId: number
    /** Sun, as of the block's time. */
    energyPrice: bigint
  }
}
