import { LRUCache } from 'lru-cache'

import type { Blocks } from './blocks.ts'
import type { LogBlock } from './logBlock.ts'

/** Logs of solidified blocks that searches have read. Their memory is separate, so that a search does not evict blocks. */
export type LogCache = {
  get(number: number): LogBlock | undefined
  /** @param epoch - `blocks.epoch()` before the read. A block of an earlier epoch is not cached, because the chain went back. */
  put(block: LogBlock, epoch: number): void
}

/** Creates the cache. @param bytes - memory for logs; 0 switches the cache off. */
export function createLogCache({ blocks, bytes }: createLogCache.Options): LogCache {
  const cache = new LRUCache<number, LogBlock>({
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
    get(number) {
      drop()
      const block = cache.get(number)
      const canonical = block && blocks.hashAt(number)
      return canonical === undefined || canonical === block?.id.hash ? block : undefined
    },
    put(block, readAt) {
      drop()
      if (readAt === epoch) cache.set(block.id.number, block)
    },
  }
}

export declare namespace createLogCache {
  type Options = {
    blocks: Pick<Blocks, 'epoch' | 'hashAt'>
    bytes: number
  }
}
