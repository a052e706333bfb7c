import type { ChainBlock } from '../blocks/block.ts'
import type { Mark } from '../blocks/blockStore.ts'
import { type DumpedChain, unpackState } from '../blocks/stateDump.ts'
import { createStateFile, type StateFile } from '../blocks/stateFile.ts'
import type { Fork } from '../fork/open.ts'
import type { Overlay } from '../state/state.ts'
import { hardforkOf } from './blockContexts.ts'
import type { Clock } from './clock.ts'
import type { Ledger, MineOptions } from './ledger.ts'

/** A chain with its clock, and the file that stores it. Each change of the chain is appended to the file. */
export type StoredChain = {
  readonly clock: Clock
  /** Decimals of the coin. */
  readonly decimals: number
  readonly file: StateFile | undefined
  readonly fork: Fork | undefined
  readonly ledger: Ledger
}

/** A state file, and what it holds. */
export type Kept = {
  readonly entries: ReturnType<StateFile['read']>
  readonly file: StateFile
  readonly name: string
}

/** Opens the file of a chain. @throws Error as `StateFile.read` does */
export function openKept(name: string): Kept {
  const file = createStateFile(name)
  return { entries: file.read(), file, name }
}

/** The time of block 0 of a stored chain, for its definition. Nothing when none is stored. */
export function startOf(kept: Kept | undefined): { startTime?: number | undefined } {
  const first = kept?.entries[0]
  return first?.kind === 'chain' ? { startTime: first.time } : {}
}

/** Adds what the file holds to a new chain, or begins the file. @throws Error when it holds another chain */
export async function restore(
  { clock, decimals, fork, ledger }: StoredChain,
  { entries, file, name }: Kept,
  timestamp: number | undefined,
): Promise<void> {
  const { genesis, restore: stored, rules } = ledger
  const id = (fork ? fork.block.id : ledger.block(0)?.id) + (decimals === 18 ? '/18' : '')
  const [first] = entries
  if (!first)
    return file.append({ kind: 'chain', genesis: id, time: genesis.time, hardforks: true })
  if (first.kind !== 'chain' || first.genesis !== id)
    throw new Error(
      `${name} holds another chain: it was made with other accounts, balances, producers, decimals, another chain id or another fork block`,
    )
  // Blocks without one ran on the chain's own EVM, unless the file does not say it.
  const unsaid = first.hardforks ? {} : hardforkOf(rules)
  for (const entry of entries) {
    if (entry.kind === 'block') {
      const { block } = entry
      stored.change({ ...entry, block: { ...block, seen: { ...unsaid, ...block.seen } } })
    }
    if (entry.kind === 'run' || entry.kind === 'patch') stored.change(entry)
    if (entry.kind === 'return') stored.returnTo(entry.mark)
    if (entry.kind === 'load') await ledger.load(unpackState(entry.dump).chain as DumpedChain)
  }
  entries.length = 0
  // The file may be of a chain with other producers, which would make no more blocks.
  const changes = await stored.adopt()
  if (changes.size > 0) file.append({ kind: 'patch', changes: [...changes] })
  if (timestamp === undefined) clock.resume()
  else clock.startAt(timestamp)
}

/** Makes a block; undefined as `Ledger.mine`. */
export async function makeBlock(
  { clock, file, ledger }: StoredChain,
  how: Partial<MineOptions> = {},
): Promise<ChainBlock | undefined> {
  const block = await ledger.mine({ timestamp: () => clock.take(), ...how })
  if (block) file?.append({ kind: 'block', block, changes: [...ledger.lastChanges()] })
  return block
}

/** Makes a run of empty blocks and the block after it. Returns how many blocks it made: 0 when no run can be made now. */
export async function makeRun(
  { clock, file, ledger }: StoredChain,
  length: number,
  step: number,
): Promise<number> {
  const made = await ledger.mineRun({ length, step })
  if (!made) return 0
  const { block, changes, run } = made
  clock.reach(block.header.timestamp)
  file?.append({ kind: 'run', run, block, changes: [...changes] })
  return block.header.number - run.from + 1
}

/** Changes the state of the newest block, without a block. */
export async function patchState(
  { file, ledger }: StoredChain,
  change: (state: Overlay) => void,
): Promise<void> {
  const changes = await ledger.patch(change)
  file?.append({ kind: 'patch', changes: [...changes] })
}

/** Records that the chain went back. */
export function recordReturn({ file }: StoredChain, { number, revision }: Mark): void {
  file?.append({ kind: 'return', mark: { number, revision } })
}

/** Replaces the chain by another one. @param dump - the same as bytes */
export async function replaceBy(
  { file, ledger }: StoredChain,
  chain: DumpedChain,
  dump: Uint8Array,
): Promise<void> {
  await ledger.load(chain)
  file?.append({ kind: 'load', dump })
}
