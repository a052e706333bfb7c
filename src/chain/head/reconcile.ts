import type { Hash } from 'viem'

import type { JournalEntry, Snapshot } from './headJournal.ts'
import type { ChainUpdate, HeadBlock, RecentBlock, Window } from './headTypes.ts'
import { blockAt, blocksAbove, isCanonical, newestOf } from './window.ts'

/** The action that makes the window of a process equal to the journal's. */
export type Plan =
  /** The journal has nothing that the window lacks. */
  | { kind: 'nothing' }
  /** Replace the blocks above a height by these. */
  | { kind: 'adopt'; above: number; add: Snapshot['blocks'] }
  /** The journal's oldest block is above our newest: read the blocks between them first. */
  | { kind: 'fill'; from: number; to: number }

/**
 * Compares our window with the journal's. A journal behind our window moves it back only when the chain was reset, which
 * a block 1 other than `first` proves.
 */
export function planAdoption(
  window: Window | undefined,
  snapshot: Snapshot,
  first: Hash | undefined,
): Plan {
  const { blocks } = snapshot
  const tip = blocks.at(-1)
  const oldest = blocks[0]
  if (!tip || !oldest) return { kind: 'nothing' }
  if (!window || isReset(first, snapshot.first)) return { kind: 'adopt', above: -1, add: blocks }
  const newest = newestOf(window)
  if (tip.number < newest.number || isCanonical(window, tip)) return { kind: 'nothing' }
  if (oldest.number > newest.number + 1)
    return { kind: 'fill', from: newest.number + 1, to: oldest.number - 1 }
  const shared = blocks.findLast((block) => isCanonical(window, block))
  // Without a common block, the journal's first must follow our newest; the contents show whether it does.
  return shared
    ? {
        kind: 'adopt',
        above: shared.number,
        add: blocks.filter(({ number }) => number > shared.number),
      }
    : { kind: 'adopt', above: oldest.number - 1, add: blocks }
}

/** The update that brings the journal to our window; undefined when the two agree. */
export function planPublication(
  window: Window,
  snapshot: Snapshot | undefined,
  first: Hash | undefined,
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
      solidified: window.solidified,
      ...(first && { first }),
    },
  }
}

/** `next`: the entry continues our window. `known`: the window has its blocks. `elsewhere`: it continues another branch. */
export type Relation = 'next' | 'known' | 'elsewhere'

/** The relation of a stream entry to our window. */
export function relationOf(window: Window | undefined, entry: JournalEntry): Relation {
  if (!window) return 'elsewhere'
  if (entry.prev === newestOf(window).hash) return 'next'
  const last = entry.added.at(-1)
  return last && isCanonical(window, last) ? 'known' : 'elsewhere'
}

/** The update of our window that an entry describes, with the contents of its new blocks. */
export function toUpdate(
  window: Window,
  entry: JournalEntry,
  added: RecentBlock[],
  first: Hash | undefined,
): ChainUpdate {
  const wasReset = isReset(first, entry.first)
  const count = wasReset ? window.blocks.length : entry.removed.length
  const removed = window.blocks.slice(window.blocks.length - count).toReversed()
  const before = wasReset ? undefined : window
  return {
    removed,
    added,
    first: entry.first,
    solidified: newerSolidified(before, removed, added, entry.solidified),
  }
}

/** Whether another block 1 shows that the chain was reset. */
export function isReset(known: Hash | undefined, first: Hash | undefined): boolean {
  return known !== undefined && first !== undefined && known !== first
}

/** The solidified block is one of our blocks, or older than them. It goes back only when a reorg removed it. */
export function newerSolidified(
  window: Window | undefined,
  removed: readonly HeadBlock[],
  added: readonly RecentBlock[],
  solidified: HeadBlock,
): HeadBlock {
  if (!window || removed.some(({ hash }) => hash === window.solidified.hash)) return solidified
  if (solidified.number <= window.solidified.number) return window.solidified
  // While no block was solidified for long, the next one is older than the window.
  if (solidified.number < (window.blocks[0]?.number ?? 0)) return solidified
  const own =
    added.find(({ number }) => number === solidified.number) ?? blockAt(window, solidified.number)
  return own?.hash === solidified.hash ? solidified : window.solidified
}
