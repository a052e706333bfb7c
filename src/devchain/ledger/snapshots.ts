import { type DumpedChain, packState, unpackState } from '../blocks/stateDump.ts'
import type { Snapshot } from './ledger.ts'
import { patchState, recordReturn, replaceBy, type StoredChain } from './storedChain.ts'

/** The snapshots of a chain that can be restored, and how it was when this process started. */
export type Snapshots = {
  readonly marks: Map<number, Mark>
  /** Number of the last snapshot. */
  last: number
  started: Mark | undefined
  /** The chain at the start, once another one was loaded. */
  startedWith: DumpedChain | undefined
}

/** A snapshot of the chain with its time. */
type Mark = { readonly chain: Snapshot; readonly resumeTime: () => void }

/** The snapshots of a new chain. */
export function noSnapshots(): Snapshots {
  return { marks: new Map(), last: 0, started: undefined, startedWith: undefined }
}

/** Blocks, state, pool and time of now. */
export function markOf({ clock, ledger }: StoredChain): Mark {
  return { chain: ledger.snapshot(), resumeTime: clock.mark() }
}

/** Stores the chain. Returns the number of the snapshot. */
export function addSnapshot(chain: StoredChain, snapshots: Snapshots): number {
  snapshots.marks.set(++snapshots.last, markOf(chain))
  return snapshots.last
}

/** Restores a snapshot and deletes it and all later ones. False when it does not exist. */
export async function revertTo(
  chain: StoredChain,
  { marks }: Snapshots,
  id: number,
): Promise<boolean> {
  const mark = marks.get(id)
  if (!mark) return false
  for (const later of marks.keys()) if (later >= id) marks.delete(later)
  await returnTo(chain, mark)
  return true
}

async function returnTo(chain: StoredChain, mark: Mark): Promise<void> {
  await chain.ledger.revert(mark.chain)
  recordReturn(chain, mark.chain)
  mark.resumeTime()
}

/** Removes every block above a height, and the snapshots of them. With `keep` their transactions return to the pool. */
export async function rewindTo(
  chain: StoredChain,
  { marks }: Snapshots,
  number: number,
  keep: boolean,
): Promise<void> {
  const mark = await chain.ledger.rewind(number, keep)
  recordReturn(chain, mark)
  for (const [id, { chain: then }] of marks) if (then.revision > mark.revision) marks.delete(id)
}

/** Restores the chain as it was when this process started. False when it has not started. */
export async function resetTo(chain: StoredChain, snapshots: Snapshots): Promise<boolean> {
  const { marks, started, startedWith } = snapshots
  marks.clear()
  chain.ledger.clearChoices()
  if (!started) return false
  if (startedWith) {
    await replaceBy(chain, startedWith, packState(startedWith))
    snapshots.started = { ...started, chain: chain.ledger.snapshot() }
    snapshots.startedWith = undefined
  }
  await returnTo(chain, snapshots.started ?? started)
  return true
}

/**
 * Replaces the chain by a dumped one. A fork of another block, and a dump without blocks, only add its accounts to the newest state.
 *
 * @returns whether the chain was replaced
 * @throws Error when the bytes are not such a state, or amounts have other decimals there
 */
export async function loadDump(
  chain: StoredChain,
  snapshots: Snapshots,
  dump: Uint8Array,
): Promise<boolean> {
  const { clock, decimals, ledger } = chain
  const { accounts, chain: dumped } = unpackState(dump)
  if (dumped && dumped.decimals !== decimals)
    throw new Error(
      `amounts of this state have ${dumped.decimals} decimals, and those of this chain ${decimals}`,
    )
  if (!dumped || !startsWhere(chain, dumped)) {
    await patchState(chain, (state) => state.setAll(accounts))
    return false
  }
  const { started } = snapshots
  const whole = ledger.dump(decimals)
  // Each change has a revision of its own, from 0 on.
  if (started)
    snapshots.startedWith ??= {
      ...whole,
      changes: whole.changes.slice(0, started.chain.revision + 1),
    }
  await replaceBy(chain, dumped, dump)
  snapshots.marks.clear()
  clock.reach(ledger.head().header.timestamp)
  return true
}

/** Whether a dumped chain has its first block where this one has it. */
function startsWhere({ fork }: StoredChain, { changes: [change] }: DumpedChain): boolean {
  if (change?.kind !== 'block') return false
  const { header, id } = change.block
  return fork ? id === fork.block.id : header.number === 0
}
