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
export function ownBlock({ fork, ledger }: DevChain, number: number): ChainBlock | undefined {
  const first = fork && fork.block.header.number + 1
  if (first !== undefined && number < first)
    throw new RpcError(
      -32000,
      `block ${number} is before the fork: this chain has the transactions from block ${first} on`,
    )
  return ledger.block(number)
}

/** The place of a transaction of this chain. @throws RpcError on a fork, when the transaction may be older than the fork */
export function ownPlace({ fork, ledger }: DevChain, transaction: Hash) {
  const place = ledger.placeOf(transaction.slice(2))
  if (!place && fork)
    throw new RpcError(-32000, 'the transaction is unknown, or older than the fork')
  return place
}

/** The block of a reference. `pending` is the newest block. @throws RpcError when there is none */
export function blockOf(chain: DevChain, ref: BlockRef, view: 'full' | 'solid'): ChainBlock {
  const number = numberOfBlock(chain, ref, view)
  const block = number === undefined ? undefined : ownBlock(chain, number)
  if (!block) throw new RpcError(-32000, 'block not found')
  return block
}

/** The block and index of a transaction. @throws RpcError when it is not in a block of the view */
export function placeOf(
  chain: DevChain,
  transaction: Hash,
  view: 'full' | 'solid',
): { block: ChainBlock; index: number } {
  const place = ownPlace(chain, transaction)
  if (!place) throw new RpcError(-32000, 'transaction not found')
  return { block: blockOf(chain, place.block, view), index: place.index }
}
