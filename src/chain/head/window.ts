import type { Hash } from 'viem'

import { UpstreamError } from '../../lib/errors.ts'
import type { ChainUpdate, Head, HeadBlock, RecentBlock, Window } from './headTypes.ts'

/** Number of blocks below the solidified one that the window keeps, so that a cursor on an older block can be resumed. */
const FORK_WINDOW = 128

/** Maximum number of blocks of a window while none is solidified: about three hours on a chain that has lost most of its producers. */
export const MAX_WINDOW = 4_096

/** Maximum number of orphans. Tests on a development chain revert many blocks. */
const MAX_ORPHANS = 4_096

/**
 * The window after an update. The first update has no window before it.
 *
 * @throws Error when the update does not link to the window.
 */
export function applyUpdate(window: Window | undefined, update: ChainUpdate): Window {
  const left = window ? withoutRemoved(window.blocks, update.removed) : []
  const follows = update.added[0]?.follows
  const isAfterRun = follows !== undefined && follows.hash === left.at(-1)?.hash
  // The heights of a window are consecutive, so it begins anew after a run of empty blocks.
  const kept = isAfterRun ? [] : left
  let last = kept.at(-1)
  for (const block of update.added) {
    if (last && (block.parentHash !== last.hash || block.number !== last.number + 1))
      throw new Error(`block ${block.number} does not follow block ${last.number}`)
    last = block
  }
  if (!last) throw new Error('the update leaves no block')
  const oldest = oldestKept(update.solidified.number, last.number)
  const all = [...kept, ...update.added]
  // The heights are consecutive.
  const dropped = Math.max(0, oldest - (all[0] ?? last).number)
  const blocks = all.slice(dropped)
  const { removed, solidified } = update
  if (!isAfterRun && !window?.earlier) {
    // After a reset of the chain the orphans can be far above the new head.
    const heights = { from: oldest, to: last.number + MAX_WINDOW }
    const orphans = orphansAfter(window?.orphans ?? new Map(), update, heights)
    return { blocks, orphans, solidified }
  }
  const passed = [
    ...(window?.earlier ?? []),
    ...(isAfterRun ? left : []),
    ...all.slice(0, dropped),
  ].slice(-MAX_ORPHANS)
  // When the chain goes back to a block before a run, the removed blocks include some that had left the window.
  const lowest = removed.length > 0 ? (update.added[0]?.number ?? last.number + 1) : Infinity
  const earlier = passed.filter(({ number }) => number < lowest)
  const undone = [...removed, ...passed.slice(earlier.length).toReversed()]
  // Orphans are kept at any height: a run of empty blocks may lie between two of them.
  const heights = { from: 0, to: Infinity }
  const orphans = orphansAfter(
    window?.orphans ?? new Map(),
    { ...update, removed: undone },
    heights,
  )
  return { blocks, orphans, solidified, earlier }
}

/** The orphans after an update, in the order in which they were removed. Only a reorg drops those outside the heights. */
function orphansAfter(
  before: ReadonlyMap<Hash, RecentBlock>,
  { added, removed }: ChainUpdate,
  heights: { from: number; to: number },
): ReadonlyMap<Hash, RecentBlock> {
  // A copy takes time for each orphan, and most updates change none.
  if (removed.length === 0 && !added.some(({ hash }) => before.has(hash))) return before
  const orphans = new Map(before)
  for (const block of removed) orphans.set(block.hash, block)
  for (const { hash } of added) orphans.delete(hash)
  for (const { hash, number } of orphans.values())
    if (number < heights.from || number > heights.to) orphans.delete(hash)
  let excess = orphans.size - MAX_ORPHANS
  for (const hash of orphans.keys()) if (excess-- > 0) orphans.delete(hash)
  return orphans
}

/** The lowest height that a window keeps. */
export function oldestKept(solidified: number, newest: number): number {
  return Math.max(Math.min(solidified, newest) - FORK_WINDOW, newest - MAX_WINDOW + 1)
}

/** The window with the orphans that other replicas know. */
export function addOrphans(window: Window, blocks: readonly RecentBlock[]): Window {
  const orphans = new Map(window.orphans)
  for (const block of blocks)
    if (isCanonical(window, block) === false) orphans.set(block.hash, block)
  return { ...window, orphans }
}

/** The newest canonical block. */
export function newestOf(window: Window): RecentBlock {
  return window.blocks.at(-1) as RecentBlock
}

/** The newest block of a view: of `solid` the solidified one. */
export function newestIn(window: Window, view: 'full' | 'solid'): HeadBlock {
  return view === 'solid' ? window.solidified : newestOf(window)
}

/** The window of a head. @throws UpstreamError before the first block was read */
export function windowOf(head: Pick<Head, 'window'>): Window {
  const window = head.window()
  if (window) return window
  throw new UpstreamError('no block is known yet: the node has not answered')
}

/** The canonical block at a height; undefined outside the window. */
export function blockAt(window: Window, number: number): RecentBlock | undefined {
  return window.blocks[number - (window.blocks[0]?.number ?? 0)]
}

/** Whether a block is canonical. Undefined below the window, which lacks the hashes there. */
export function isCanonical(
  window: Window,
  block: { number: number; hash: Hash },
): boolean | undefined {
  if (block.number < (window.blocks[0]?.number ?? 0)) return undefined
  return blockAt(window, block.number)?.hash === block.hash
}

/** The canonical blocks above a height, newest first: what a branch from that height replaces. */
export function blocksAbove(window: Window, number: number): RecentBlock[] {
  return window.blocks.filter((block) => block.number > number).toReversed()
}

function withoutRemoved(
  blocks: readonly RecentBlock[],
  removed: readonly RecentBlock[],
): readonly RecentBlock[] {
  if (removed.length === 0) return blocks
  const kept = blocks.slice(0, blocks.length - removed.length)
  removed.forEach((block, index) => {
    if (blocks[blocks.length - 1 - index]?.hash !== block.hash)
      throw new Error(`block ${block.number} is removed but is not the newest`)
  })
  return kept
}
