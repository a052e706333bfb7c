import { isDeepStrictEqual } from 'node:util'

import type { ChainBlock } from './block.ts'
import { applyTransaction } from './execute.ts'
import type { Applied } from './execution.ts'
import type { Ledger } from './ledger.ts'
import { createOverlay } from './state.ts'
import type { Overlay, StateReader } from './state.ts'
import type { ChainTransaction } from './transaction.ts'
import type { runVm } from './vm/run.ts'

/** A transaction of a block that was executed once more. */
export type Replayed = {
  index: number
  transaction: ChainTransaction
  info: Applied['info']
  /** The state before it. */
  before: StateReader
  /** The state after it; its changes are those of the transaction. */
  after: Overlay
}

/** A transaction does not do again what its record says. */
export class ReplayError extends Error {
  override name = 'ReplayError'
}

/**
 * Executes the transactions of a block once more, in their order, on the state before the block. Nothing of the chain
 * changes.
 *
 * @param observe - Says who listens to the run of the transaction at an index.
 * @throws ReplayError when one does something else than the chain recorded: the chain was started with other rules since,
 *   or went back while this ran.
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
    // oxlint-disable-next-line no-await-in-loop -- each runs on the state that the one before it left
    const { info } = await applyTransaction(after, transaction, own)
    const full = { ...info, blockNumber: number, blockTimeStamp: timestamp }
    if (!isDeepStrictEqual(full, block.infos[index]))
      throw new ReplayError(
        `transaction ${transaction.id} does not do again what is recorded: the chain was started with other rules since`,
      )
    yield { index, transaction, info: full, before: state, after }
    after.commit()
  }
}

/** The state inside a block, behind so many of its transactions. @throws ReplayError */
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
