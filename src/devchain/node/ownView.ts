import type { Hash } from 'viem'

import type { Chain } from '../../chain/blocks/chainTypes.ts'
import { toRpcBlock, toRpcHeader, toRpcTransactions } from '../../codec/block.ts'
import type { BlockRef } from '../../codec/blockRef.ts'
import { toRpcReceipts } from '../../codec/receipt.ts'
import type { RpcReceipt } from '../../codec/types.ts'
import type { Config } from '../../config/config.ts'
import { toPrepared } from '../../lib/prepared.ts'
import { type DevChain, printBlock, runFetching } from '../index.ts'

/**
 * A view of the chain with the chain id that tools may have set, in which `pending` is the block that would be made now, with the
 * transactions of the pool. Its hash changes with the pool and the time. The solidified view has no such block.
 */
export function ownView(
  view: Chain,
  dev: DevChain,
  { feeSignal }: Pick<Config, 'feeSignal'>,
): Chain {
  const { ledger } = dev
  const isPending = (ref: BlockRef) => ref === 'pending' && view.view === 'full'
  /** The newest one, of which a client may want more. */
  let last: { hash: Hash; receipts: RpcReceipt[] } | undefined

  async function pendingBlock() {
    const made = await runFetching(() => ledger.pendingBlock())
    const native = printBlock(made, true, { isUnsigned: true })
    const energyPrice = made.seen?.baseFee ?? (await view.energyPrice())
    const baseFeePerGas = feeSignal === 'eip1559' ? energyPrice : undefined
    const transactions = toRpcTransactions(native, made.infos, { chainId: view.id, energyPrice })
    const header = toRpcHeader(native, made.infos, { baseFeePerGas })
    const receipts = toRpcReceipts(native, made.infos, { energyPrice })
    last = { hash: header.hash, receipts }
    return { header, receipts, transactions }
  }

  return {
    ...view,
    get id() {
      return dev.chainId
    },
    block: (ref, full, call) =>
      isPending(ref)
        ? pendingBlock().then(({ header, transactions }) =>
            toPrepared(
              toRpcBlock(header, full ? transactions : transactions.map(({ hash }) => hash)),
            ),
          )
        : view.block(ref, full, call),
    transactionCount: async (ref, call) =>
      isPending(ref)
        ? (await pendingBlock()).transactions.length
        : view.transactionCount(ref, call),
    async transactionAt(ref, index, call) {
      if (!isPending(ref)) return view.transactionAt(ref, index, call)
      const transaction = (await pendingBlock()).transactions[index]
      return transaction && toPrepared(transaction)
    },
    async receipts(ref, call) {
      if (isPending(ref)) return toPrepared((await pendingBlock()).receipts)
      const isLast = typeof ref === 'object' && ref.blockHash === last?.hash
      return isLast && last ? toPrepared(last.receipts) : view.receipts(ref, call)
    },
  }
}
