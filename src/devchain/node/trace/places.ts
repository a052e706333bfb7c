import type { Hash } from 'viem'

import type { BlockRef } from '../../../codec/blockRef.ts'
import { RpcError } from '../../../lib/errors.ts'
import type { ChainBlock, DevChain } from '../../index.ts'
import { numberOfBlock } from '../blockState.ts'

/**
 * The block at a height, with its transactions; undefined when there is none.
 *
 * @throws RpcError for a block up to the fork block: this chain does not have its transactions
 */
function ownBlock({ fork, ledger }: DevChain, number: number): ChainBlock | undefined {
  const first = fork && fork.block.header.number + 1
  if (first !== undefined && number < first)
    throw new RpcError(
      -32000,
      `block ${number} is before the fork: this chain has the transactions from block ${first} on`,
    )
  return ledger.block(number)
}

/** The block of a reference; undefined when there is none. @throws RpcError for the pending block, which is not made yet */
export function findBlock(
  chain: DevChain,
  ref: BlockRef,
  view: 'full' | 'solid',
): ChainBlock | undefined {
  if (ref === 'pending' && view === 'full')
    throw new RpcError(-32000, 'the pending block is not made yet: ask for latest or a number')
  const number = numberOfBlock(chain, ref, view)
  return number === undefined ? undefined : ownBlock(chain, number)
}

/** As `findBlock`. @throws RpcError when there is none */
export function blockOf(chain: DevChain, ref: BlockRef, view: 'full' | 'solid'): ChainBlock {
  const block = findBlock(chain, ref, view)
  if (!block) throw new RpcError(-32000, 'block not found')
  return block
}

/** The block of a transaction, and its index in the block. */
type Place = { block: ChainBlock; index: number }

/**
 * The place of a transaction of this chain; undefined when it is not in a block of the view.
 *
 * @throws RpcError on a fork, when the transaction may be older than the fork
 */
export function findPlace(
  chain: DevChain,
  transaction: Hash,
  view: 'full' | 'solid',
): Place | undefined {
  const place = chain.ledger.placeOf(transaction.slice(2))
  if (!place && chain.fork)
    throw new RpcError(-32000, 'the transaction is unknown, or older than the fork')
  const block = place && findBlock(chain, place.block, view)
  return block && { block, index: place.index }
}

/** The place of a transaction of this chain. @throws RpcError when it is not in a block of the view */
export function placeOf(chain: DevChain, transaction: Hash, view: 'full' | 'solid'): Place {
  const place = findPlace(chain, transaction, view)
  if (!place) throw new RpcError(-32000, 'transaction not found')
  return place
}
