import type { Hash } from 'viem'

import type { HeadBlock, HeadChange, RecentBlock } from '../headTypes.ts'

/** The recent chain: canonical blocks without a hole, the blocks that a reorg took away, and the solidified block. A value, never changed in place. */
export type Window = {
  /** Ascending and linked by parent hash; never empty. */
  readonly blocks: readonly RecentBlock[]
  /** Blocks that were canonical once, by hash. */
  readonly orphans: ReadonlyMap<Hash, RecentBlock>
  readonly solid: HeadBlock
}

/** Blocks kept behind the solidified one, so that what was delivered a while ago can still be taken back. */
export const FORK_WINDOW = 128

/** The most blocks kept when nothing gets solidified: about three hours of a chain that has lost its producers. */
export const MAX_WINDOW = 4_096

/** The window after a step. The first step has no window before it. @throws Error when the step does not link to the window. */
export function applyChange(window: Window | undefined, change: HeadChange): Window {
  const kept = window ? withoutRemoved(window.blocks, change.removed) : []
  let last = kept.at(-1)
  for (const block of change.added) {
    if (last && (block.parentHash !== last.hash || block.number !== last.number + 1))
      throw new Error(`block ${block.number} does not follow block ${last.number}`)
    last = block
  }
  if (!last) throw new Error('a step that leaves no block')
  const oldest = Math.max(
    Math.min(change.solid.number, last.number) - FORK_WINDOW,
    last.number - MAX_WINDOW + 1,
  )
  const blocks = [...kept, ...change.added].filter(({ number }) => number >= oldest)
  const orphans = new Map(window?.orphans)
  for (const block of change.removed) orphans.set(block.hash, block)
  for (const block of change.added) orphans.delete(block.hash)
  for (const { hash, number } of orphans.values()) if (number < oldest) orphans.delete(hash)
  return { blocks, orphans, solid: change.solid }
}

/** The window with orphans that others knew of. */
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

/** The canonical block at a height, when it is inside the window. */
export function blockAt(window: Window, number: number): RecentBlock | undefined {
  return window.blocks[number - (window.blocks[0]?.number ?? 0)]
}

/** Whether a block is canonical. Undefined below the window, where everything was solidified when it was cut off. */
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

function withoutRemoved(blocks: readonly RecentBlock[], removed: readonly RecentBlock[]) {
  const kept = blocks.slice(0, blocks.length - removed.length)
  removed.forEach((block, index) => {
    if (blocks[blocks.length - 1 - index]?.hash !== block.hash)
      throw new Error(`block ${block.number} is taken away but is not the newest`)
  })
  return kept
}
