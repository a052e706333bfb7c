import { type DumpedChain, packState, unpackState } from '../blocks/stateDump.ts'
import type { Snapshot } from './ledger.ts'
import { patchState, recordReturn, replaceBy, type StoredChain } from './storedChain.ts'

/** A snapshot of the chain with its time. */
type Mark = { chain: Snapshot; resumeTime: () => void }

/**
 * The snapshots of a chain that can be restored, and how it was when this process started.
 *
 * @param announce - called after each change of the chain
 */
export function createSnapshots(chain: StoredChain, announce: () => Promise<void>) {
  const { clock, decimals, ledger } = chain
  const marks = new Map<number, Mark>()
  /** Number of the last snapshot. */
  let last = 0
  let started: Mark | undefined
  /** The chain at the start, once another one was loaded. */
  let startedWith: DumpedChain | undefined

  const markOf = (): Mark => ({ chain: ledger.snapshot(), resumeTime: clock.mark() })

  async function returnTo(mark: Mark): Promise<void> {
    await ledger.revert(mark.chain)
    recordReturn(chain, mark.chain)
    mark.resumeTime()
    await announce()
  }

  return {
    /** Remembers how the chain is at its start. */
    markStart: (): void => void (started = markOf()),

    /** The snapshots that can be restored, with the newest block of each. */
    snapshots: () => [...marks].map(([id, mark]) => ({ id, block: mark.chain.number })),

    /** Stores the chain: blocks, state, pool and time. Returns the number of the snapshot. */
    snapshot(): number {
      marks.set(++last, markOf())
      return last
    },

    /** Restores a snapshot and deletes it and all later ones. False when it does not exist. */
    async revert(id: number): Promise<boolean> {
      const mark = marks.get(id)
      if (!mark) return false
      for (const later of marks.keys()) if (later >= id) marks.delete(later)
      await returnTo(mark)
      return true
    },

    /** Deletes a snapshot. False when it does not exist. */
    dropSnapshot: (id: number): boolean => marks.delete(id),

    /** Removes every block above a height, and the snapshots of them. With `keep` their transactions return to the pool. */
    async rewind(number: number, keep: boolean): Promise<void> {
      const mark = await ledger.rewind(number, keep)
      recordReturn(chain, mark)
      for (const [id, { chain: then }] of marks) if (then.revision > mark.revision) marks.delete(id)
      await announce()
    },

    /** Restores the chain as it was when this process started. */
    async reset(): Promise<void> {
      marks.clear()
      ledger.clearChoices()
      if (!started) return
      if (startedWith) {
        await replaceBy(chain, startedWith, packState(startedWith))
        started = { ...started, chain: ledger.snapshot() }
        startedWith = undefined
      }
      await returnTo(started)
    },

    /** The chain as bytes, for `loadState`: blocks, and the state after each of them. */
    dumpState: () => packState(ledger.dump(decimals)),

    /**
     * Replaces the chain by a dumped one. A fork of another block, and a dump without blocks, only add its accounts to the newest state.
     *
     * @throws Error when the bytes are not such a state, or amounts have other decimals there
     */
    async loadState(dump: Uint8Array): Promise<void> {
      const { accounts, chain: dumped } = unpackState(dump)
      if (dumped && dumped.decimals !== decimals)
        throw new Error(
          `amounts of this state have ${dumped.decimals} decimals, and those of this chain ${decimals}`,
        )
      if (!dumped || !startsWhere(chain, dumped))
        return patchState(chain, (state) => state.setAll(accounts))
      const whole = ledger.dump(decimals)
      // Each change has a revision of its own, from 0 on.
      if (started)
        startedWith ??= { ...whole, changes: whole.changes.slice(0, started.chain.revision + 1) }
      await replaceBy(chain, dumped, dump)
      marks.clear()
      clock.reach(ledger.head().header.timestamp)
      await announce()
    },
  }
}

/** Whether a dumped chain has its first block where this one has it. */
function startsWhere({ fork }: StoredChain, { changes: [change] }: DumpedChain): boolean {
  if (change?.kind !== 'block') return false
  const { header, id } = change.block
  return fork ? id === fork.block.id : header.number === 0
}
