import type { Hash } from 'viem'

import type { HeadBlock, HeadChange, RecentBlock } from '../headTypes.ts'
import type { JournalEntry, Snapshot } from './journal.ts'
import { blockAt, blocksAbove, isCanonical, newestOf, type Window } from './window.ts'

/** What a process must do to have what the journal has. */
export type Plan =
  /** The journal has nothing that we lack. */
  | { kind: 'nothing' }
  /** Take the blocks above a height away and add these. */
  | { kind: 'adopt'; above: number; add: Snapshot['blocks'] }
  /** The journal's oldest block is above our newest: the blocks between must be read first. */
  | { kind: 'fill'; from: number; to: number }

/** Compares our window with the journal's. A journal that is behind us is never followed back. */
export function planAdoption(window: Window | undefined, snapshot: Snapshot): Plan {
  const { blocks } = snapshot
  const tip = blocks.at(-1)
  const first = blocks[0]
  if (!tip || !first) return { kind: 'nothing' }
  if (!window) return { kind: 'adopt', above: -1, add: blocks }
  const newest = newestOf(window)
  if (tip.number < newest.number || isCanonical(window, tip)) return { kind: 'nothing' }
  if (first.number > newest.number + 1)
    return { kind: 'fill', from: newest.number + 1, to: first.number - 1 }
  const shared = blocks.findLast((block) => isCanonical(window, block))
  // Without a block in common, the journal's first must follow our newest; contents will tell.
  return shared
    ? {
        kind: 'adopt',
        above: shared.number,
        add: blocks.filter(({ number }) => number > shared.number),
      }
    : { kind: 'adopt', above: first.number - 1, add: blocks }
}

/** The step that brings the journal to our window; undefined when it is there already, or has what we have not. */
export function planPublication(
  window: Window,
  snapshot: Snapshot | undefined,
): { entry: JournalEntry; blocks: RecentBlock[] } | undefined {
  const newest = newestOf(window)
  const tip = snapshot?.blocks.at(-1)
  const from = snapshot?.blocks.findLast((block) => isCanonical(window, block))
  if (tip && from?.hash === newest.hash && tip.hash === newest.hash) return undefined
  const above = from?.number ?? -1
  const blocks = blocksAbove(window, above).toReversed()
  const removed = (snapshot?.blocks ?? []).filter(({ number }) => number > above).toReversed()
  return {
    blocks,
    entry: {
      prev: tip?.hash ?? '',
      removed: removed.map(({ hash }) => hash),
      added: blocks.map(({ hash, number }) => ({ number, hash })),
      tip: newest.hash,
      solid: window.solid,
    },
  }
}

/** How an entry of the stream meets our window. */
export function relationOf(window: Window | undefined, entry: JournalEntry): Relation {
  if (!window) return 'elsewhere'
  if (entry.prev === newestOf(window).hash) return 'next'
  const last = entry.added.at(-1)
  return last && isCanonical(window, last) ? 'known' : 'elsewhere'
}

export type Relation = 'next' | 'known' | 'elsewhere'

/** The step that an entry means for our window, once the contents of its new blocks are at hand. */
export function toChange(
  window: Window,
  removed: readonly Hash[],
  added: RecentBlock[],
  solid: HeadBlock,
): HeadChange {
  const gone = window.blocks.slice(window.blocks.length - removed.length).toReversed()
  return { removed: gone, added, solid: newerSolid(window, gone, added, solid) }
}

/** The solidified block is one of our blocks, and never goes back unless it was taken away itself. */
export function newerSolid(
  window: Window | undefined,
  removed: readonly HeadBlock[],
  added: readonly RecentBlock[],
  solid: HeadBlock,
): HeadBlock {
  if (!window || removed.some(({ hash }) => hash === window.solid.hash)) return solid
  if (solid.number <= window.solid.number) return window.solid
  const own = added.find(({ number }) => number === solid.number) ?? blockAt(window, solid.number)
  return own?.hash === solid.hash ? solid : window.solid
}
