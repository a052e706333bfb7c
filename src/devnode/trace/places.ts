import type { Hash } from 'viem'

import type { BlockRef } from '../../codec/blockRef.ts'
import type { ChainBlock, DevChain } from '../../devchain/index.ts'
import { RpcError } from '../../errors.ts'
import { numberOfBlock } from '../blockState.ts'

/** The block that a reference means. `pending` is the newest one. @throws RpcError when there is none */
export function blockOf(chain: DevChain, ref: BlockRef, view: 'full' | 'solid'): ChainBlock {
  const number = numberOfBlock(chain, ref, view)
  const block = number === undefined ? undefined : chain.ledger.block(number)
  if (!block) throw new RpcError(-32000, 'block not found')
  return block
}

/** Where a transaction is. @throws RpcError when it is in no block that the view shows */
export function placeOf(
  chain: DevChain,
  transaction: Hash,
  view: 'full' | 'solid',
): { block: ChainBlock; index: number } {
  const place = chain.ledger.placeOf(transaction.slice(2))
  if (!place) throw new RpcError(-32000, 'transaction not found')
  return { block: blockOf(chain, place.block, view), index: place.index }
}
