import { LRUCache } from 'lru-cache'

import type { BlockId } from '../../codec/blockRef.ts'
import type { Blocks } from './blocks.ts'

/** Data of solidified blocks, by height. Its memory is separate from that of the block cache, so that it evicts no block. */
export type SolidCache<block extends SolidBlock> = ReturnType<typeof createSolidCache<block>>

type SolidBlock = { readonly id: BlockId; readonly bytes: number }

/** Creates the cache. @param bytes - its memory; 0 switches it off. */
export function createSolidCache<block extends SolidBlock>({
  blocks,
  bytes,
}: createSolidCache.Options) {
  const cache = new LRUCache<number, block>({
    // The library accepts only positive sizes. A cache of one byte stores no block.
    maxSize: Math.max(bytes, 1),
    sizeCalculation: (block) => block.bytes,
  })
  let epoch = blocks.epoch()

  /** Empties the cache after the chain went back below its solidified block, because every entry may be of an orphan. */
  function drop(): void {
    if (epoch === blocks.epoch()) return
    epoch = blocks.epoch()
    cache.clear()
  }

  return {
    get(number: number): block | undefined {
      drop()
      const block = cache.get(number)
      const canonical = block && blocks.hashAt(number)
      return canonical === undefined || canonical === block?.id.hash ? block : undefined
    },
    /** @param readAt - `blocks.epoch()` before the read. A block of an earlier epoch is not cached, because the chain went back. */
    put(block: block, readAt: number): void {
      drop()
      if (readAt === epoch) cache.set(block.id.number, block)
    },
  }
}

export declare namespace createSolidCache {
  type Options = {
    blocks: Pick<Blocks, 'epoch' | 'hashAt'>
    bytes: number
  }
}
