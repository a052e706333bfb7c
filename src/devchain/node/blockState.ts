import { type BlockRef, heightOfHash } from '../../codec/blockRef.ts'
import { RpcError } from '../../lib/errors.ts'
import type { BlockContext, DevChain, StateReader } from '../index.ts'

/** A state, and the block context of calls on it. */
export type BlockState = { state: StateReader; block: BlockContext }

/**
 * The state at a block argument. `pending` is the latest state after the transactions of the pool. Calls on it run in the
 * next block.
 *
 * @throws RpcError when there is no such block.
 */
export async function stateOf(
  chain: DevChain,
  ref: BlockRef,
  view: 'full' | 'solid',
): Promise<BlockState> {
  const { ledger } = chain
  if (ref === 'pending' && view === 'full') return ledger.pendingState()
  const height = numberOfBlock(chain, ref, view)
  const found = height === undefined ? undefined : ledger.blockAt(height)
  if (!found) throw new RpcError(-32000, 'header not found')
  const { number, timestamp, witness } = found.header
  return {
    state: ledger.stateAt(number),
    block: ledger.contextOf({ number, timestamp, producer: witness.slice(0, 42) }).block,
  }
}

/** The height of a block argument, with `pending` as the latest block; undefined when the view has no such block. */
export function numberOfBlock(
  { ledger }: DevChain,
  ref: BlockRef,
  view: 'full' | 'solid',
): number | undefined {
  const newest = (view === 'full' ? ledger.head() : ledger.solid()).header.number
  const number = numberOf(ref)
  return number !== undefined && number <= newest ? number : undefined

  function byId(id: string): number | undefined {
    const own = ledger.numberOf(id)
    if (own !== undefined || !ledger.fork) return own
    const number = heightOfHash(`0x${id}`)
    return number < ledger.fork.block.header.number && ledger.blockAt(number)?.id === id
      ? number
      : undefined
  }

  function numberOf(ref: BlockRef): number | undefined {
    if (typeof ref === 'number') return ref
    if (typeof ref === 'object') return byId(ref.blockHash.slice(2))
    if (ref === 'earliest') return 0
    return ref === 'latest' || ref === 'pending' ? newest : ledger.solid().header.number
  }
}
