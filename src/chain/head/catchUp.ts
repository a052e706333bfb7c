import type { Hash } from 'viem'

import { UpstreamError } from '../../lib/errors.ts'
import type { HeadJournal, Snapshot } from './headJournal.ts'
import type { ChainUpdate, OwnWindow, RecentBlock, Window } from './headTypes.ts'
import { newerSolidified, planAdoption } from './reconcile.ts'
import type { HeadSource } from './source.ts'
import { addOrphans, blockAt, blocksAbove, newestOf } from './window.ts'

/** Blocks that one update reads from the node when the journal starts above our window. */
const FILL = 16

/**
 * Brings the window of this process up to date with the journal: reads the journal's window and, if it begins above ours, the
 * blocks between from the node.
 */
export function createCatchUp({ journal, own, source }: createCatchUp.Options) {
  const { apply, first, prepare, replace, window } = own

  async function adopt(snapshot: Snapshot, above: number, add: Snapshot['blocks']): Promise<void> {
    const before = window()
    const added = await contents(add.map(({ hash }) => hash))
    const links = before && blockAt(before, above)?.hash === added[0]?.parentHash
    // When the two windows have no block in common, the journal's replaces ours.
    const removed = before ? blocksAbove(before, links ? above : -1) : []
    const solidified = newerSolidified(
      links ? before : undefined,
      removed,
      added,
      snapshot.solidified,
    )
    await applyTo(before, { removed, added, first: snapshot.first, solidified })
  }

  /** Reads the blocks between our newest and the journal's oldest from the node. */
  async function fill(from: number, to: number): Promise<void> {
    const before = window()
    if (!before) return
    const next = await read(from)
    const links = next.parentHash === newestOf(before).hash
    // A reorg happened meanwhile: replace our blocks above the solidified one.
    const start = links ? from : before.solidified.number + 1
    const added: RecentBlock[] = []
    for (let number = start; number <= to; number++)
      added.push(number === from ? next : await read(number))
    const removed = blocksAbove(before, start - 1)
    await applyTo(before, { removed, added, solidified: before.solidified })
  }

  /** Does nothing when the window was updated in the meantime: the plan is computed again. */
  async function applyTo(before: Window | undefined, update: ChainUpdate): Promise<void> {
    if (window() !== before) return
    await prepare(update)
    if (window() === before) apply(update)
  }

  async function read(number: number): Promise<RecentBlock> {
    const block = await source.load({ number })
    if (!block) throw new UpstreamError(`the node does not have block ${number}`)
    return block
  }

  /** Adds blocks that were orphaned before this process started. */
  async function addMissingOrphans(hashes: readonly Hash[]): Promise<void> {
    const missing = hashes.filter((hash) => !window()?.orphans.has(hash))
    if (missing.length === 0) return
    const blocks = [...(await journal.blocks(missing)).values()]
    const current = window()
    if (current) replace(addOrphans(current, blocks))
  }

  async function contents(hashes: readonly Hash[]): Promise<RecentBlock[]> {
    const found = await journal.blocks(hashes)
    const blocks: RecentBlock[] = []
    for (const hash of hashes) {
      const block = found.get(hash) ?? (await source.load({ hash }))
      if (!block) throw new Error(`neither Redis nor the node has block ${hash}`)
      blocks.push(block)
    }
    return blocks
  }

  return {
    /**
     * Blocks by hash, from Redis, or from the node if they have expired in Redis.
     *
     * @throws UpstreamError when the node fails; Error when neither knows a block.
     */
    contents,
    /** Adds the journal's blocks that the window lacks. Returns the update; undefined while the journal is empty. */
    async rebuild(): Promise<Snapshot | undefined> {
      for (;;) {
        const snapshot = await journal.snapshot()
        if (!snapshot) return undefined
        const plan = planAdoption(window(), snapshot, first())
        if (plan.kind === 'nothing') {
          await addMissingOrphans(snapshot.orphans)
          return snapshot
        }
        if (plan.kind === 'adopt') await adopt(snapshot, plan.above, plan.add)
        else await fill(plan.from, Math.min(plan.to, plan.from + FILL - 1))
      }
    },
  }
}

export declare namespace createCatchUp {
  type Options = {
    journal: HeadJournal
    own: OwnWindow
    source: HeadSource
  }
}
