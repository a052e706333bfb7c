import { isDeepStrictEqual } from 'node:util'

import type { ChainBlock } from '../blocks/block.ts'
import { applyTransaction } from '../execution/execute.ts'
import type { Applied } from '../execution/execution.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { createOverlay, type Overlay, type StateReader } from '../state/state.ts'
import type { ChainTransaction } from '../transactions/transaction.ts'
import type { runVm } from '../vm/run.ts'

/** A transaction of a block with its second execution. */
export type Replayed = {
  index: number
  transaction: ChainTransaction
  info: Applied['info']
  /** The state before the transaction. */
  before: StateReader
  /** The state after the transaction, with its changes. */
  after: Overlay
}

/** A transaction has another outcome than its record when it is executed again. */
export class ReplayError extends Error {
  override name = 'ReplayError'
}

/**
 * Executes the transactions of a block again, in their order, on the state before the block. The chain does not change.
 *
 * @param observe - Returns the listener for the run of the transaction at an index.
 * @throws ReplayError when the outcome of a transaction differs from its record: the chain was restarted with other rules,
 *   or was reverted meanwhile.
 */
export async function* replayBlock(
  ledger: Ledger,
  block: ChainBlock,
  observe: (index: number) => runVm.Observe | undefined,
): AsyncGenerator<Replayed> {
  const context = ledger.contextAt(block)
  const { number, timestamp } = block.header
  const state = createOverlay(ledger.stateAt(number - 1))
  for (const [index, { transaction }] of block.transactions.entries()) {
    const after = createOverlay(state)
    const listener = observe(index)
    const own = listener ? { ...context, observe: listener } : context
    const { info } = await applyTransaction(after, transaction, own)
    const full = { ...info, blockNumber: number, blockTimeStamp: timestamp }
    if (!isDeepStrictEqual(full, block.infos[index]))
      throw new ReplayError(
        `transaction ${transaction.id} does something else than its record says: the chain was restarted with other rules`,
      )
    yield { index, transaction, info: full, before: state, after }
    after.commit()
  }
}

/** The state inside a block, after `count` of its transactions. @throws ReplayError */
export async function stateBehind(
  ledger: Ledger,
  block: ChainBlock,
  count: number,
): Promise<StateReader> {
  if (count > 0)
    for await (const { after, index } of replayBlock(ledger, block, () => undefined))
      if (index === count - 1) return after
  return ledger.stateAt(block.header.number - 1)
}
