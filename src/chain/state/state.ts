import type { BlockId, BlockRef } from '../../codec/blockRef.ts'
import { RpcError } from '../../lib/errors.ts'
import type { StateSource } from '../blocks/chainTypes.ts'
import type { HeadBlock } from '../head/headTypes.ts'

/**
 * The source that answers a state read at a reference.
 *
 * The node keeps two states, the newest and the solidified one. A block a few heights behind the head is read from the newest
 * state, because wallets replace `latest` by the number that they last saw. Every other height is history, which most
 * reads refuse.
 *
 * @throws RpcError -32000 when there is no such block (yet).
 */
export async function stateSource(
  ref: BlockRef,
  { latest, newest, resolve, solid, window }: stateSource.Options,
): Promise<StateSource> {
  if (ref === 'latest' || ref === 'pending') return { at: newest }
  if (ref === 'safe' || ref === 'finalized') return { at: 'solid' }
  const block = await resolve(ref)
  if (!block)
    throw new RpcError(
      -32000,
      typeof ref === 'object' ? 'header for hash not found' : 'header not found',
    )
  // `earliest` is history, even if the chain is shorter than the window.
  if (ref !== 'earliest' && latest.number - block.number <= window) return { at: newest, block }
  if (block.number === solid.number) return { at: 'solid', block }
  return block.number === latest.number ? { at: newest, block } : { at: 'historic', block }
}

export declare namespace stateSource {
  type Options = {
    latest: HeadBlock
    solid: HeadBlock
    /** The source of the view's newest state. */
    newest: 'latest' | 'solid'
    /** Number of blocks behind the newest for which the newest state is used. */
    window: number
    resolve: (ref: BlockRef) => Promise<BlockId | undefined>
  }
}
