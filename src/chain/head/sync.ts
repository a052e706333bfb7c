import type { Hash } from 'viem'

import { UpstreamError } from '../../lib/errors.ts'
import { timeSlice } from '../../lib/timeSlice.ts'
import { type NextRun, stretchOf } from '../reads/blockRange.ts'
import { createContradiction, type ContradictionLimit } from './contradiction.ts'
import type { ChainUpdate, HeadBlock, RecentBlock, Window } from './headTypes.ts'
import { loadRange } from './loadRange.ts'
import { isReset } from './reconcile.ts'
import type { HeadSource, Tip } from './source.ts'
import { applyUpdate, blockAt, blocksAbove, isCanonical, MAX_WINDOW, newestOf } from './window.ts'

/** Blocks of one update while a gap is filled: bounds memory and the size of one stream entry. */
const CHUNK = 32

/** How long the node must show a branch that is not higher before it replaces ours. */
const BRANCH_LIMIT: ContradictionLimit = { polls: 3, time: 2_000 }

/**
 * How long the node must show only a branch that forks below the solidified block before it replaces ours. A node that
 * has just started reports its head as solidified, and a node that was killed can restart without its last blocks, so such
 * a branch can become the canonical one.
 */
const DEEP_LIMIT: ContradictionLimit = { polls: 10, time: 15_000 }

/** How long the node must show another block 1 before `sync` replaces the window. */
const RESET_LIMIT: ContradictionLimit = { polls: 3, time: 1_500 }

/**
 * Compares the node's head with ours and publishes the updates between them, in order and without a gap.
 *
 * - A higher head is linked block by block. If a parent hash does not fit, the branch is read back by hash to the common
 *   ancestor.
 * - A head that is not higher and on our branch means that the node lags: nothing changes.
 * - A head that is not higher and on another branch replaces ours only when the node shows nothing else for a while.
 * - A run of empty blocks of a chain in this process is not read: the window begins anew after it.
 * - A branch that forks below the solidified block is refused and reported as a problem. It is followed only when the node
 *   shows nothing else for a long time.
 * - If the node's block 1, or its block at the window's oldest height, is another one, the node serves another history: a
 *   private chain was reset. The whole window is replaced.
 */
export function createHeadSync({
  isInProcess = false,
  first,
  nextRun,
  now = () => performance.now(),
  onReplaced,
  publish,
  source,
  window,
}: createHeadSync.Options) {
  /** A branch that is not higher. */
  const other = createContradiction(BRANCH_LIMIT, now)
  /** A branch that forks below the solidified block. */
  const deep = createContradiction(DEEP_LIMIT, now)
  /** Another history. */
  const reset = createContradiction(RESET_LIMIT, now)
  let isFirstAsked = false
  let problem: string | undefined

  /** Reads the chain from the solidified block to the newest and replaces the window, if there is one. */
  async function begin(tip: Tip, replaced?: Window): Promise<void> {
    // Before the blocks of the other history are read.
    if (replaced) onReplaced?.()
    const solidified = await solidifiedUpTo(await source.solidified(), tip)
    const from = Math.max(solidified.number, tip.number - MAX_WINDOW / 4)
    const blocks: RecentBlock[] = []
    for (let number = from; number <= tip.number; number += CHUNK) {
      const chunk = await loadRange(source, number, Math.min(number + CHUNK - 1, tip.number), tip)
      blocks.push(...chunk)
      if (!isLinked(blocks)) break
    }
    // If there was a reorg meanwhile, the next poll reads the new blocks.
    const isWhole =
      isLinked(blocks) &&
      blocks.at(-1)?.hash === tip.hash &&
      (from !== solidified.number || blocks[0]?.hash === solidified.hash)
    if (!isWhole) {
      problem = INCOMPLETE
      return
    }
    const removed = replaced?.blocks.toReversed() ?? []
    await publish({ removed, added: blocks, first: await source.hashAt(1), solidified })
    clearBranches()
  }

  /** The solidified block, at most this tip: another node behind the same address may be ahead. */
  async function solidifiedUpTo(reported: HeadBlock, tip: HeadBlock): Promise<HeadBlock> {
    if (reported.number <= tip.number) return reported
    if ((await source.solidifiedAt(tip.number)) === tip.hash) return toHead(tip)
    throw new UpstreamError('the solidified block of the node is not on the branch of its head')
  }

  /** Reads and publishes the blocks up to a higher head, chunk by chunk. */
  async function extend(tip: Tip): Promise<void> {
    const reported = await trySolidified()
    for (let isFirst = true; ; isFirst = false) {
      // A chain in this process answers at once: without the pause, thousands of its blocks would block the event loop.
      if (timeSlice.isOver()) await timeSlice.next()
      const view = window() as Window
      const newest = newestOf(view)
      if (newest.number >= tip.number) return
      const stretch = stretchOf(nextRun, { from: newest.number + 1, to: tip.number })
      const isSkipped = stretch.isRun && (await isThere(newest))
      const start = isSkipped ? stretch.to + 1 : newest.number + 1
      // On another branch than ours one block of the run is enough to find the common ancestor.
      const end = isSkipped ? tip.number : stretch.isRun ? start : stretch.to
      const loaded = await loadRange(source, start, Math.min(start + CHUNK - 1, end), tip)
      const [lowest] = loaded
      // The chain may have gone back while the blocks after a run were read.
      if (!lowest || (isSkipped && !(await isThere(newest)))) return
      let branch: RecentBlock[] | undefined = [
        isSkipped ? { ...lowest, follows: toId(newest) } : lowest,
      ]
      if (!isSkipped && lowest.parentHash !== newest.hash) {
        // A reorg meanwhile: `tip` may be older than blocks that this loop has published. The next poll reads another.
        if (!isFirst) return
        if (await wasReset(view)) return begin(tip, view)
        branch = await walkBack(view, lowest)
      }
      if (!branch) return
      for (const block of loaded.slice(1)) {
        // Two nodes behind one address may disagree: keep the blocks that link, read the others again.
        if (block.parentHash !== branch.at(-1)?.hash) break
        branch.push(block)
      }
      if (!(await adopt(view, branch, reported))) return
    }
  }

  /** Whether a block of our window is canonical on the node. */
  const isThere = async ({ hash, number }: HeadBlock): Promise<boolean> =>
    (await source.hashAt(number)) === hash

  /**
   * The branch that ends in `block`, from its first block that our window lacks. Undefined when it cannot be read or is
   * refused.
   */
  async function walkBack(view: Window, block: RecentBlock): Promise<RecentBlock[] | undefined> {
    const branch = [block]
    // Count once per poll, for any depth of the branch.
    const leaves = blockAt(view, block.number - 1)?.hash !== block.parentHash
    if (leaves && problem !== undefined) deep.seen()
    for (let first = block; ;) {
      const below = blockAt(view, first.number - 1)
      if (below?.hash === first.parentHash) return branch
      const isDeep = first.number - 1 <= view.solidified.number
      if (!isInProcess && isDeep && !deep.isConfirmed()) {
        problem = `the node follows a branch that forks below the solidified block ${view.solidified.number}`
        return undefined
      }
      if (!below && first.number <= (view.blocks[0]?.number ?? 0))
        return isInProcess ? branch : undefined
      const parent = await source.load({ hash: first.parentHash })
      if (!parent) return undefined
      branch.unshift(parent)
      first = parent
    }
  }

  async function adopt(
    view: Window,
    branch: RecentBlock[],
    reported: HeadBlock | undefined,
  ): Promise<boolean> {
    const last = branch.at(-1) as RecentBlock
    const removed = blocksAbove(view, (branch[0] as RecentBlock).number - 1)
    const kept = blockAt(view, (branch[0] as RecentBlock).number - 1)
    const base = kept && kept.number < view.solidified.number ? toHead(kept) : view.solidified
    const after = applyUpdate(view, { removed, added: branch, solidified: base })
    const solidified = await nextSolidified(after, reported, last)
    if (!solidified) return false
    clearBranches()
    return publish({ removed, added: branch, first: await knownFirst(view), solidified })
  }

  /** The solidified block. Undefined when the node solidified another branch. */
  async function nextSolidified(
    after: Window,
    reported: HeadBlock | undefined,
    last: HeadBlock,
  ): Promise<HeadBlock | undefined> {
    if (isInProcess && reported && reported.number <= last.number) return reported
    if (!reported || reported.number <= after.solidified.number) return after.solidified
    const at = reported.number > last.number ? last : reported
    const hash: Hash | undefined =
      at === last ? await source.solidifiedAt(last.number) : reported.hash
    if (hash === undefined) return after.solidified
    // Below the window it is on our branch: the node has both.
    if (isCanonical(after, { number: at.number, hash }) !== false) return toHead(at)
    problem = `the node solidified another block ${at.number} than it reported before`
    return undefined
  }

  /** The node shows our branch. */
  function clearBranches(): void {
    other.clear()
    deep.clear()
    reset.clear()
    problem = undefined
  }

  /** Hash of block 1. It is read from the node once. */
  async function knownFirst(view: Window): Promise<Hash | undefined> {
    const known = first() ?? blockAt(view, 1)?.hash
    if (known !== undefined || isFirstAsked) return known
    isFirstAsked = true
    return source.hashAt(1).catch(() => undefined)
  }

  /** Whether the node has shown another history for long enough. */
  async function wasReset(view: Window): Promise<boolean> {
    if (isInProcess || !(await hasOtherHistory(view))) {
      reset.clear()
      return false
    }
    reset.seen()
    return reset.isConfirmed()
  }

  async function hasOtherHistory(view: Window): Promise<boolean> {
    const oldest = view.blocks[0]
    const there = oldest && oldest.number > 0 ? await source.hashAt(oldest.number) : undefined
    if (there !== undefined) return there !== oldest?.hash
    return isReset(first() ?? blockAt(view, 1)?.hash, await source.hashAt(1))
  }

  async function trySolidified(): Promise<HeadBlock | undefined> {
    // The head does not need it now. The next block causes another read.
    return source.solidified().catch(() => undefined)
  }

  /** A head that is not higher than ours and on another branch. */
  async function consider(view: Window, tip: Tip): Promise<void> {
    other.seen()
    if (!isInProcess && !other.isConfirmed()) return
    const block = await source.loadTip(tip)
    const branch = block && (await walkBack(view, block))
    if (branch) await adopt(view, branch, await trySolidified())
  }

  /** Goes back to an older block of our own branch, which only a chain in this process does. */
  async function goBack(view: Window, tip: Tip): Promise<void> {
    const solidified = (await trySolidified()) ?? view.solidified
    await publish({
      removed: blocksAbove(view, tip.number),
      added: [],
      solidified: solidified.number <= tip.number ? solidified : toHead(tip),
    })
  }

  return {
    /** Polls the node once and publishes what is new. @throws RpcError when the node fails */
    async sync(): Promise<void> {
      const tip = await source.tip()
      const view = window()
      if (!view) return begin(tip)
      const newest = newestOf(view)
      if (tip.hash === newest.hash) return clearBranches()
      if (tip.number > newest.number) return extend(tip)
      const known = isCanonical(view, tip)
      if (known !== true && (await wasReset(view))) return begin(tip, view)
      if (known === false || (known === undefined && isInProcess)) return consider(view, tip)
      other.clear()
      deep.clear()
      return known && isInProcess ? goBack(view, tip) : undefined
    },
    /** Whether the node shows another branch that is not accepted yet. */
    isUndecided: () => other.isSeen(),
    /** Why the head cannot follow the node, as text for operators. */
    problem: () => (reset.isSeen() ? RESET : problem),
  }
}

export declare namespace createHeadSync {
  type Options = {
    source: HeadSource
    /** The current window; undefined before the first update. */
    window: () => Window | undefined
    /** Hash of block 1, if known. */
    first: () => Hash | undefined
    /** The runs of empty blocks of a chain in this process. */
    nextRun?: NextRun | undefined
    /** Called when the node serves another history. */
    onReplaced?: (() => void) | undefined
    /** Publishes an update. Resolves when `window()` includes it; false when it was refused and must be computed again. */
    publish: (update: ChainUpdate) => Promise<boolean>
    /** The chain is in this process: the head follows it to any block, also to a lower one. @default false */
    isInProcess?: boolean | undefined
    /** Monotonic milliseconds. @default performance.now */
    now?: (() => number) | undefined
  }
}

/** Brings the window to the head of the node. */
export type HeadSync = ReturnType<typeof createHeadSync>

const RESET = 'the node serves another history of the chain: it was reset'

const INCOMPLETE = 'the node does not have the blocks from its solidified block to its newest'

function isLinked(blocks: readonly RecentBlock[]): boolean {
  return blocks.every((block, index) => index === 0 || block.parentHash === blocks[index - 1]?.hash)
}

function toId({ hash, number }: HeadBlock) {
  return { number, hash }
}

function toHead({ hash, number, parentHash, timestamp }: HeadBlock): HeadBlock {
  return { number, hash, parentHash, timestamp }
}
