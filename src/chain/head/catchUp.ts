import type { Hash } from 'viem'

import type { HeadChange, RecentBlock } from '../headTypes.ts'
import type { Journal, Snapshot } from './journal.ts'
import { newerSolid, planAdoption } from './reconcile.ts'
import type { HeadSource } from './source.ts'
import { addOrphans, blockAt, blocksAbove, newestOf, type Window } from './window.ts'

/** Gets a process to where the journal is. */
export type CatchUp = {
  /** Takes over what the journal has and we have not; what it had then. Undefined while the journal is empty. */
  rebuild(): Promise<Snapshot | undefined>
  /** Blocks by hash, from Redis or where they have expired there from the node. */
  contents(hashes: readonly Hash[]): Promise<RecentBlock[]>
}

/** Blocks read from the node at once where the journal starts above us. */
const FILL = 16

/** Reads the journal's window and, where it does not reach down to ours, the node. */
export function createCatchUp({
  apply,
  journal,
  replace,
  source,
  window,
}: createCatchUp.Options): CatchUp {
  async function adopt(snapshot: Snapshot, above: number, add: Snapshot['blocks']): Promise<void> {
    const before = window()
    const added = await contents(add.map(({ hash }) => hash))
    // Meanwhile a step came: the plan is to be made anew.
    if (window() !== before) return
    const links = before && blockAt(before, above)?.hash === added[0]?.parentHash
    // With nothing in common with the fleet any more, its word counts.
    const removed = before ? blocksAbove(before, links ? above : -1) : []
    const solid = newerSolid(links ? before : undefined, removed, added, snapshot.solid)
    apply({ removed, added, solid })
  }

  /** Reads blocks between our newest and the journal's oldest from the node. */
  async function fill(from: number, to: number): Promise<void> {
    const before = window() as Window
    const next = await read(from)
    const links = next.parentHash === newestOf(before).hash
    // What we had above the solidified block was taken away while we were not looking.
    const start = links ? from : before.solid.number + 1
    const added: RecentBlock[] = []
    for (let number = start; number <= to; number++)
      added.push(number === from ? next : await read(number))
    if (window() !== before) return
    apply({ removed: blocksAbove(before, start - 1), added, solid: before.solid })
  }

  async function read(number: number): Promise<RecentBlock> {
    const block = await source.load({ number })
    if (!block) throw new Error(`the node does not have block ${number}`)
    return block
  }

  /** Learns of the blocks that were taken away while this process was not there. */
  async function recall(hashes: readonly Hash[]): Promise<void> {
    const missing = hashes.filter((hash) => !window()?.orphans.has(hash))
    if (missing.length === 0) return
    const blocks = [...(await journal.blocks(missing)).values()]
    const own = window()
    if (own) replace(addOrphans(own, blocks))
  }

  async function contents(hashes: readonly Hash[]): Promise<RecentBlock[]> {
    const found = await journal.blocks(hashes)
    const blocks: RecentBlock[] = []
    for (const hash of hashes) {
      const block = found.get(hash) ?? (await source.load({ hash }))
      if (!block) throw new Error(`the contents of block ${hash} are gone`)
      blocks.push(block)
    }
    return blocks
  }

  return {
    contents,
    async rebuild() {
      for (;;) {
        const snapshot = await journal.snapshot()
        if (!snapshot) return undefined
        const plan = planAdoption(window(), snapshot)
        if (plan.kind === 'nothing') {
          await recall(snapshot.orphans)
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
    journal: Journal
    source: HeadSource
    window: () => Window | undefined
    apply: (change: HeadChange) => void
    /** Takes a window that differs only in its orphans. */
    replace: (window: Window) => void
  }
}
