import type { TransactionInfo } from '../../native/wire/types.ts'
import { BLOCK_VERSION, type ChainBlock, sealBlock } from '../blocks/block.ts'
import type { Genesis } from '../blocks/genesis.ts'
import { closeBlock } from '../contracts/maintenance.ts'
import { applyTransaction } from '../execution/execute.ts'
import type { Applied, ExecutionContext, TransactionNotes } from '../execution/execution.ts'
import { isRefusal } from '../state/errors.ts'
import { changeFetching, runFetching } from '../state/missing.ts'
import type { Overlay } from '../state/state.ts'
import type { ChainTransaction } from '../transactions/transaction.ts'
import type { NextBlock } from './blockContexts.ts'

/**
 * Executes transactions on a state and makes a block of them. Omits invalid transactions.
 *
 * @param options.isComplete - Throws the error of an invalid transaction instead of omitting it.
 * @param options.branch - The number of the branch, if the block is the first of one.
 * @param options.seen - Values that contracts see instead of those in the header.
 */
export async function makeBlock(
  state: Overlay,
  transactions: readonly ChainTransaction[],
  { branch, context, genesis, isComplete, next, parent, seen }: makeBlock.Options,
) {
  const content: Pick<ChainBlock, 'transactions' | 'infos' | 'seen'> = {
    transactions: [],
    infos: [],
    ...(Object.keys(seen).length > 0 && { seen }),
  }
  /** What development tools show of a transaction beside its record. */
  const notes: [record: TransactionInfo, notes: TransactionNotes][] = []
  for (const transaction of transactions) {
    let applied: Applied
    try {
      applied = await runFetching(() => applyTransaction(state, transaction, context))
    } catch (error) {
      if (isComplete || !isRefusal(error)) throw error
      continue
    }
    const { balances, info, results } = applied
    content.transactions.push({
      transaction: applied.transaction ?? transaction,
      results,
      balances,
    })
    const record = { ...info, blockNumber: next.number, blockTimeStamp: next.timestamp }
    content.infos.push(record)
    const { emptyRevert, printed } = applied
    if (printed || emptyRevert)
      notes.push([record, { ...(printed && { printed }), ...(emptyRevert && { emptyRevert }) }])
  }
  await changeFetching(state, (work) => closeBlock(work, next))
  const { number, producer, timestamp } = next
  const block = sealBlock(
    {
      number,
      timestamp,
      parentHash: parent.id,
      witness: producer,
      version: BLOCK_VERSION,
      ...(branch !== undefined && { accountStateRoot: branch.toString(16).padStart(64, '0') }),
    },
    content,
    genesis.producers.find(({ address }) => address === producer)?.key,
  )
  return { block, notes }
}

export declare namespace makeBlock {
  type Options = {
    branch: number | undefined
    /** The block context of contracts. */
    context: ExecutionContext
    genesis: Genesis
    isComplete: boolean
    /** Number, time and producer of the block. */
    next: NextBlock
    parent: ChainBlock
    seen: NonNullable<ChainBlock['seen']>
  }
}
