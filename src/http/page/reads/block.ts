import type { Hash } from 'viem'
import { numberToHex } from 'viem/utils'

import type { RpcBlock, RpcReceipt } from '../../../codec/types.ts'
import { rowOf } from './row.ts'
import type { Source } from './source.ts'

/** A block with one page of its transactions. */
export type BlockFacts = NonNullable<Awaited<ReturnType<typeof readBlock>>>

/** Transactions on one page of a block. */
const PAGE = 50

/** Reads a block. @param ref - a number in decimal or a hash @returns undefined when there is none */
export async function readBlock(ref: string, page: number, source: Source) {
  const byHash = ref.startsWith('0x')
  const block = await source.ask<(RpcBlock & { transactions: Hash[] }) | null>(
    byHash ? 'eth_getBlockByHash' : 'eth_getBlockByNumber',
    byHash ? ref : numberToHex(BigInt(ref)),
    false,
  )
  if (!block) return undefined
  const number = Number(block.number)
  const [receipts, native, head, solid, producer] = await Promise.all([
    source.ask<RpcReceipt[] | null>('eth_getBlockReceipts', block.hash),
    source.wallet.getBlockById({ value: block.hash.slice(2) }),
    source.head(),
    source.solid(),
    number > 0 ? source.name(block.miner) : undefined,
  ])
  const byHashes = new Map(receipts?.map((receipt) => [receipt.transactionHash, receipt]))
  const pages = Math.max(1, Math.ceil(block.transactions.length / PAGE))
  const shown = Math.min(page, pages - 1)
  const transactions = native?.transactions ?? []
  return {
    block,
    number,
    producer,
    rows: await Promise.all(
      transactions.slice(shown * PAGE, (shown + 1) * PAGE).map((transaction) =>
        rowOf(
          transaction,
          {
            block: number,
            time: Number(block.timestamp),
            receipt: byHashes.get(`0x${transaction.txID}`),
          },
          source,
        ),
      ),
    ),
    page: shown,
    pages,
    head,
    solid,
    // Of all transactions, in the smallest unit.
    fees: (receipts ?? []).reduce(
      (sum, { effectiveGasPrice, gasUsed }) => sum + BigInt(effectiveGasPrice) * BigInt(gasUsed),
      0n,
    ),
  }
}
