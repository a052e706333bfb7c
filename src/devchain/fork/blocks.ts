import { LRUCache } from 'lru-cache'

import type { NativeClient } from '../../native/client.ts'
import type { Block } from '../../native/wire/types.ts'
import type { ChainBlock } from '../blocks/block.ts'
import { ForkError } from '../state/errors.ts'
import { MissingStateError } from '../state/missing.ts'

/** Most blocks in memory. A contract can see the hashes of 256. */
const MOST_KNOWN = 10_000

/** Blocks before a fork, with ids, times and producers but without transactions. */
export function createEarlierBlocks(native: NativeClient) {
  const known = new LRUCache<number, ChainBlock>({ max: MOST_KNOWN })

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
    /** A fetched block. @throws MissingStateError if it is not fetched yet */
    at(number: number): ChainBlock {
      const found = known.get(number)
      if (found) return found
      throw new MissingStateError(async () => void (await fetch(number)))
    },
  }
}

/**
 * Converts a node's block to this chain's format, without transactions.
 *
 * @throws ForkError when its id is no hash or its numbers are no numbers. The disk cache of a fork is named by them.
 */
export function toForkBlock({ blockID, block_header }: Block): ChainBlock {
  const { number, parentHash, timestamp, txTrieRoot, version, witness_address } =
    block_header.raw_data
  if (!isHash(blockID) || !isWhole(number ?? 0) || !isWhole(timestamp ?? 0))
    throw new ForkError('the forked node answers a block whose id, number or time is malformed')
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

/** Whether an answer of a node is a hash: 64 hex digits. */
export const isHash = (value: unknown) => typeof value === 'string' && /^[\da-f]{64}$/.test(value)

const isWhole = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0
