import { LRUCache } from 'lru-cache'

import type { Blocks } from './blocks.ts'
import type { LogBlock } from './logBlock.ts'

/** Logs of solidified blocks that searches have read. They have memory of their own, so that a search does not evict blocks. */
export type LogCache = {
  get(number: number): LogBlock | undefined
  /** @param epoch - `blocks.epoch()` before it was read: what was read before the chain went back is not kept. */
  put(block: LogBlock, epoch: number): void
}

/** @param bytes - memory for logs; 0 keeps none. */
export function createLogCache({ blocks, bytes }: createLogCache.Options): LogCache {
  const cache = new LRUCache<number, LogBlock>({
    // The library accepts only positive sizes. One byte holds nothing.
    maxSize: Math.max(bytes, 1),
    sizeCalculation: (block) => block.bytes,
  })
  let epoch = blocks.epoch()

  /** When the chain went back below its solidified block, nothing that was kept by height holds any more. */
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
