import { numberToHex } from 'viem/utils'

import { toRpcBlock, toRpcHeader, toRpcTransactions } from '../../codec/block.ts'
import type { BlockRef } from '../../codec/blockRef.ts'
import { toRpcReceipts } from '../../codec/receipt.ts'
import type { RpcBlock, RpcReceipt, RpcTransaction } from '../../codec/types.ts'
import type { Context } from '../../rpc/context.ts'
import { type AnyMethod, defineMethod } from '../../rpc/method.ts'
import { erigon_getHeaderByNumber as erigonHeader } from '../../rpc/methods/erigon_getHeaderByNumber.ts'
import { eth_getBlockByNumber as blockByNumber } from '../../rpc/methods/eth_getBlockByNumber.ts'
import { eth_getBlockReceipts as blockReceipts } from '../../rpc/methods/eth_getBlockReceipts.ts'
import { eth_getBlockTransactionCountByNumber as countByNumber } from '../../rpc/methods/eth_getBlockTransactionCountByNumber.ts'
import { eth_getHeaderByNumber as ofHeader } from '../../rpc/methods/eth_getHeaderByNumber.ts'
import { eth_getTransactionByBlockNumberAndIndex as transactionAt } from '../../rpc/methods/eth_getTransactionByBlockNumberAndIndex.ts'
import { headerOf } from '../../rpc/methods/header.ts'
import { ots_getBlockDetails as blockDetails } from '../../rpc/methods/ots_getBlockDetails.ts'
import { ots_getBlockTransactions as blockTransactions } from '../../rpc/methods/ots_getBlockTransactions.ts'
import { printBlock } from '../index.ts'
import type { DevChain } from '../index.ts'
import { requireMade } from './trace/places.ts'

/** Queries of the pending block, which has the transactions of the pool. Without the development chain it is the latest block. */
export function pendingMethods({ ledger }: DevChain): Record<string, AnyMethod> {
  /** Whether a query means the block that is not made yet. The solidified view has none. */
  const isPending = (ref: BlockRef, { chain }: Context) =>
    ref === 'pending' && chain.view === 'full'

  /** The block that would be made now, and its transactions. Its hash changes with the pool and the time. */
  async function pendingBlock({ chain, config }: Context): Promise<{
    block: RpcBlock
    receipts: RpcReceipt[]
    transactions: RpcTransaction[]
  }> {
    const made = await ledger.pendingBlock()
    const native = printBlock(made, true, { isUnsigned: true })
    const energyPrice = made.seen?.baseFee ?? (await chain.energyPrice())
    const baseFeePerGas = config.feeSignal === 'eip1559' ? energyPrice : undefined
    const transactions = toRpcTransactions(native, made.infos, { chainId: chain.id, energyPrice })
    const header = toRpcHeader(native, made.infos, { baseFeePerGas })
    const receipts = toRpcReceipts(native, made.infos, { energyPrice })
    return { block: toRpcBlock(header, transactions), receipts, transactions }
  }

  const eth_getBlockByNumber = defineMethod({
    ...blockByNumber,
    summary: `${blockByNumber.summary}; pending is the next block with the pool`,
    async handler(context, params, call) {
      const [ref, isFull] = params
      if (!isPending(ref, context)) return blockByNumber.handler(context, params, call)
      const { block, transactions } = await pendingBlock(context)
      return isFull ? block : { ...block, transactions: transactions.map(({ hash }) => hash) }
    },
  })

  const eth_getBlockTransactionCountByNumber = defineMethod({
    ...countByNumber,
    async handler(context, params, call) {
      if (!isPending(params[0], context)) return countByNumber.handler(context, params, call)
      return numberToHex((await pendingBlock(context)).transactions.length)
    },
  })

  const eth_getTransactionByBlockNumberAndIndex = defineMethod({
    ...transactionAt,
    async handler(context, params, call) {
      const [ref, position] = params
      if (!isPending(ref, context)) return transactionAt.handler(context, params, call)
      return (await pendingBlock(context)).transactions[position] ?? null
    },
  })

  const eth_getBlockReceipts = defineMethod({
    ...blockReceipts,
    async handler(context, params, call) {
      if (!isPending(params[0], context)) return blockReceipts.handler(context, params, call)
      return (await pendingBlock(context)).receipts
    },
  })

  const headerByNumber = defineMethod({
    ...ofHeader,
    async handler(context, params, call) {
      if (!isPending(params[0], context)) return ofHeader.handler(context, params, call)
      return headerOf((await pendingBlock(context)).block)
    },
  })

  return {
    erigon_getHeaderByNumber: { ...headerByNumber, summary: erigonHeader.summary },
    eth_getHeaderByNumber: headerByNumber,
    ots_getBlockDetails: ofMadeBlock(blockDetails),
    ots_getBlockTransactions: ofMadeBlock(blockTransactions),
    eth_getBlockByNumber,
    eth_getBlockReceipts,
    eth_getBlockTransactionCountByNumber,
    eth_getTransactionByBlockNumberAndIndex,
  }
}

/** A method about a block, whose first parameter it is, for blocks that are made. */
function ofMadeBlock(method: AnyMethod): AnyMethod {
  return {
    ...method,
    handler(context, params, call) {
      const [{ value: ref }] = params as [{ value: BlockRef }]
      requireMade(ref, context.chain.view)
      return method.handler(context, params, call) as unknown
    },
  }
}
