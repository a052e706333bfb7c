import type { Hash } from 'viem'

import type { HeadBlock, HeadChange, RecentBlock } from '../headTypes.ts'
import type { HeadSource, Tip } from './source.ts'
import {
  applyChange,
  blockAt,
  blocksAbove,
  isCanonical,
  MAX_WINDOW,
  newestOf,
  type Window,
} from './window.ts'

/** Blocks of one step while a gap is filled: bounds memory and the size of one stream entry. */
const CHUNK = 32

/** Reads under way at once while a gap is filled. */
const PARALLEL = 8

/** How often and how long (milliseconds) a head that is not higher must be shown before it replaces ours. */
const DOUBT_POLLS = 3
const DOUBT_TIME = 2_000

/**
 * How often and how long (milliseconds) a branch that leaves ours below the solidified block must be all that the node shows.
 * A node that has just started calls its head solidified, and one that was killed comes back without its last blocks: to
 * refuse what it goes on with for ever would help nobody.
 */
const BREACH_POLLS = 10
const BREACH_TIME = 15_000

/**
 * Compares the node's head with ours and publishes the steps between them, in order, nothing left out.
 *
 * - A higher head is linked block by block; where a parent hash does not fit, the branch is walked back by hash until it meets ours.
 * - A head that is not higher and on our branch is a node that lags: nothing moves.
 * - A head that is not higher and on another branch replaces ours only after it was all that the node showed for a while.
 * - A branch that leaves ours below the solidified block is refused and reported as a problem; only where the node shows nothing
 *   else for long is it followed.
 */
export function createAdvance({
  authoritative = false,
  now = Date.now,
  publish,
  source,
  window,
}: createAdvance.Options): Advance {
  let doubt: { since: number; polls: number } | undefined
  let breach: { since: number; polls: number } | undefined
  let problem: string | undefined

  async function begin(tip: Tip): Promise<void> {
    const solid = await solidOf(await source.solid(), tip)
    const from = Math.max(solid.number, tip.number - MAX_WINDOW / 4)
    const blocks: RecentBlock[] = []
    for (let number = from; number <= tip.number; number += CHUNK) {
      const chunk = await loadRange(number, Math.min(number + CHUNK - 1, tip.number), tip)
      blocks.push(...chunk)
      if (!isLinked(blocks)) return
    }
    if (blocks.at(-1)?.hash !== tip.hash) return
    if (from === solid.number && blocks[0]?.hash !== solid.hash) return
    await publish({ removed: [], added: blocks, solid })
  }

  /** Solidified as far as this tip goes: another node behind the same address may be further. */
  async function solidOf(reported: HeadBlock, tip: HeadBlock): Promise<HeadBlock> {
    if (reported.number <= tip.number) return reported
    if ((await source.solidAt(tip.number)) === tip.hash) return toHead(tip)
    throw new Error('the head and the solidified block do not fit together')
  }

  /** Consecutive blocks as far as the node knows them; not yet checked for links. */
  async function loadRange(from: number, to: number, tip: Tip): Promise<RecentBlock[]> {
    const found: RecentBlock[] = []
    for (let start = from; start <= to; start += PARALLEL) {
      const numbers = Array.from(
        { length: Math.min(PARALLEL, to - start + 1) },
        (_, index) => start + index,
      )
      const loaded = await Promise.all(
        numbers.map((number) =>
          number === tip.number ? source.loadTip(tip) : source.load({ number }),
        ),
      )
      for (const block of loaded) {
        if (!block) return found
        found.push(block)
      }
    }
    return found
  }

  /** Fills the heights up to a higher head, chunk by chunk. */
  async function extend(tip: Tip): Promise<void> {
    const reported = await trySolid()
    for (;;) {
      const view = window() as Window
      const newest = newestOf(view)
      if (newest.number >= tip.number) return
      const loaded = await loadRange(
        newest.number + 1,
        Math.min(newest.number + CHUNK, tip.number),
        tip,
      )
      const first = loaded[0]
      if (!first) return
      const branch = first.parentHash === newest.hash ? [first] : await walkBack(view, first)
      if (!branch) return
      for (const block of loaded.slice(1)) {
        // Two nodes behind one address may disagree: what links is true, the rest is asked again.
        if (block.parentHash !== branch.at(-1)?.hash) break
        branch.push(block)
      }
      if (!(await adopt(view, branch, reported))) return
    }
  }

  /** The branch that ends in `block`, from the first block that is not ours. Undefined when it cannot be had now, or must not. */
  async function walkBack(view: Window, block: RecentBlock): Promise<RecentBlock[] | undefined> {
    const branch = [block]
    // Counted once a look, however deep it goes.
    const leaves = blockAt(view, block.number - 1)?.hash !== block.parentHash
    if (leaves && problem !== undefined) {
      breach ??= { since: now(), polls: 0 }
      breach.polls++
    }
    for (let first = block; ;) {
      const below = blockAt(view, first.number - 1)
      if (below?.hash === first.parentHash) return branch
      if (!authoritative && first.number - 1 <= view.solid.number && !believed(breach)) {
        problem = `the node shows a branch that leaves ours below the solidified block ${view.solid.number}`
        return undefined
      }
      if (!below && first.number <= (view.blocks[0]?.number ?? 0))
        return authoritative ? branch : undefined
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
    const base = kept && kept.number < view.solid.number ? toHead(kept) : view.solid
    const change: HeadChange = { removed, added: branch, solid: base }
    const solid = await nextSolid(applyChange(view, change), reported, last)
    if (!solid) return false
    trust()
    return publish({ ...change, solid })
  }

  /** The solidified block among those we have; undefined when it contradicts our branch. */
  async function nextSolid(
    after: Window,
    reported: HeadBlock | undefined,
    last: HeadBlock,
  ): Promise<HeadBlock | undefined> {
    if (authoritative && reported && reported.number <= last.number) return reported
    if (!reported || reported.number <= after.solid.number) return after.solid
    const at = reported.number > last.number ? last : reported
    const hash: Hash | undefined = at === last ? await source.solidAt(last.number) : reported.hash
    if (hash === undefined) return after.solid
    const own = blockAt(after, at.number)
    if (own?.hash === hash) return toHead(own)
    problem = `the node solidified another block ${at.number} than the one it showed`
    return undefined
  }

  /** The node shows our branch: nothing is in doubt any more. */
  function trust(): void {
    doubt = undefined
    breach = undefined
    problem = undefined
  }

  function believed(shown: typeof breach): boolean {
    return shown !== undefined && shown.polls >= BREACH_POLLS && now() - shown.since >= BREACH_TIME
  }

  async function trySolid(): Promise<HeadBlock | undefined> {
    // The head goes on without it; the next block asks again.
    return source.solid().catch(() => undefined)
  }

  /** A head that is not higher than ours and on another branch. */
  async function consider(view: Window, tip: Tip): Promise<void> {
    doubt ??= { since: now(), polls: 0 }
    doubt.polls++
    if (!authoritative && (doubt.polls < DOUBT_POLLS || now() - doubt.since < DOUBT_TIME)) return
    const block = await source.loadTip(tip)
    const branch = block && (await walkBack(view, block))
    if (branch) await adopt(view, branch, await trySolid())
  }

  /** Goes back to an older block of our own branch: only where the node's word is law. */
  async function goBack(view: Window, tip: Tip): Promise<void> {
    const solid = (await trySolid()) ?? view.solid
    await publish({
      removed: blocksAbove(view, tip.number),
      added: [],
      solid: solid.number <= tip.number ? solid : toHead(tip),
    })
  }

  return {
    async step() {
      const tip = await source.tip()
      const view = window()
      if (!view) return begin(tip)
      const newest = newestOf(view)
      if (tip.hash === newest.hash) return trust()
      if (tip.number > newest.number) return extend(tip)
      const known = isCanonical(view, tip)
      if (known === false || (known === undefined && authoritative)) return consider(view, tip)
      doubt = undefined
      breach = undefined
      if (known && authoritative) return goBack(view, tip)
      return undefined
    },
    doubts: () => doubt !== undefined,
    problem: () => problem,
  }
}

export declare namespace createAdvance {
  type Options = {
    source: HeadSource
    /** The window as it is now; undefined before the first step. */
    window: () => Window | undefined
    /** Makes a step known. Resolves once `window()` has it; false when it was refused and must be worked out again. */
    publish: (change: HeadChange) => Promise<boolean>
    /** The node's word is law, even where it goes back: a chain in this process. @default false */
    authoritative?: boolean | undefined
    now?: (() => number) | undefined
  }
}

export type Advance = {
  /** One look at the node. @throws UpstreamError and its kin */
  step(): Promise<void>
  /** Whether the node shows another head that is not accepted yet. */
  doubts(): boolean
  /** Why the node's head cannot be followed, for people. */
  problem(): string | undefined
}

function isLinked(blocks: readonly RecentBlock[]): boolean {
  return blocks.every((block, index) => index === 0 || block.parentHash === blocks[index - 1]?.hash)
}

function toHead({ hash, number, parentHash, timestamp }: HeadBlock): HeadBlock {
  return { number, hash, parentHash, timestamp }
}
