import type { NativeClient } from '../../native/client.ts'
import type { Block } from '../../native/types.ts'
import type { ChainBlock } from '../block.ts'
import { ForkError } from '../errors.ts'
import { MissingStateError } from '../missing.ts'

/** Blocks before a fork, as far as this chain needs them: ids, times and producers, without transactions. */
export function createEarlierBlocks(native: NativeClient) {
  const known = new Map<number, ChainBlock>()

  /** @throws ForkError when the node has no such block; UpstreamError when it does not answer */
  async function fetch(number: number): Promise<ChainBlock> {
    const kept = known.get(number)
    if (kept) return kept
    const found = await native.wallet.getBlockByNum({ num: number })
    if (!found) throw new ForkError(`the forked node has no block ${number}`)
    const block = toForkBlock(found)
    known.set(number, block)
    return block
  }

  return {
    fetch,
    /** @throws MissingStateError while it is not fetched */
    at(number: number): ChainBlock {
      const found = known.get(number)
      if (found) return found
      throw new MissingStateError(async () => void (await fetch(number)))
    },
  }
}

/** A node's block as this chain keeps it, without transactions. */
export function toForkBlock({ blockID, block_header }: Block): ChainBlock {
  const { number, parentHash, timestamp, txTrieRoot, version, witness_address } =
    block_header.raw_data
  return {
    id: blockID,
    header: {
      number: number ?? 0,
      timestamp: timestamp ?? 0,
      txTrieRoot: txTrieRoot ?? '',
      parentHash: parentHash ?? '',
      witness: witness_address ?? '',
      version: version ?? 0,
    },
    signature: block_header.witness_signature ?? '',
    transactions: [],
    infos: [],
  }
}
