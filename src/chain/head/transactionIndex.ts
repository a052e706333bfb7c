import type { Hash } from 'viem'

import type { ChainUpdate, HeadBlock, RecentBlock, Window } from './headTypes.ts'

/** Which canonical block of the window holds a transaction. */
export function createTransactionIndex() {
  const blocks = new Map<Hash, RecentBlock>()

  function remove(block: RecentBlock): void {
    for (const hash of block.transactions)
      if (blocks.get(hash)?.hash === block.hash) blocks.delete(hash)
  }

  return {
    blockWith: (transaction: Hash): HeadBlock | undefined => blocks.get(transaction),
    /** Applies the update that changed the window from `before` to `after`. */
    update(before: Window | undefined, after: Window, { added, removed }: ChainUpdate): void {
      const oldest = after.blocks[0]?.number ?? 0
      for (const block of before?.blocks ?? []) {
        if (block.number >= oldest) break
        remove(block)
      }
      for (const block of removed) remove(block)
      for (const block of added)
        if (block.number >= oldest) for (const hash of block.transactions) blocks.set(hash, block)
    },
  }
}
