import type { BlockId } from '../../codec/blockRef.ts'
import type { RecentBlock, Window } from './headTypes.ts'
import { blockAt, isCanonical, MAX_WINDOW, newestOf } from './window.ts'

/** One block that was removed from or added to the canonical chain. `after` is the cursor once the change is delivered. */
export type BlockChange = { block: RecentBlock; removed: boolean; after: BlockId }

/**
 * The changes between a cursor and the canonical chain, or why they are unknown:
 *
 * - `below`: the next blocks are below the window. They are read from the node.
 * - `ahead`: the cursor is on a block that this process has not received yet.
 * - `lost`: the branch of the cursor is no longer known.
 */
export type BlockChanges = BlockChange[] | 'below' | 'ahead' | 'lost'

/** The changes from a cursor to the canonical block at height `to`: orphans first, newest first, then the new blocks. */
export function blockChangesFrom(window: Window, from: BlockId, to: number): BlockChanges {
  const changes: BlockChange[] = []
  const first = window.blocks[0]?.number ?? 0
  let at = from
  // An orphan can be below a window that has moved on since, where the window cannot say that it is not canonical.
  while (window.orphans.has(at.hash) || isCanonical(window, at) === false) {
    const block = window.orphans.get(at.hash)
    if (!block) {
      const { number } = newestOf(window)
      const isUnknown = at.number <= window.solidified.number || at.number > number + MAX_WINDOW
      return changes.length > 0 || isUnknown ? 'lost' : 'ahead'
    }
    at = block.follows ?? { number: block.number - 1, hash: block.parentHash }
    changes.push({ block, removed: true, after: at })
  }
  if (at.number < Math.min(first - 1, to)) return changes.length > 0 ? changes : 'below'
  for (let number = at.number + 1; number <= to; number++) {
    const block = blockAt(window, number)
    if (!block) break
    changes.push({ block, removed: false, after: { number, hash: block.hash } })
  }
  return changes
}
