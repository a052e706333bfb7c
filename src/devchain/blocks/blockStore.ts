import type { Tables } from '../state/model.ts'
import { createHistory, createOverlay, type Overlay, type StateReader } from '../state/state.ts'
import type { ChainBlock } from './block.ts'
import { createRunList, type EmptyRun, type Run } from './runList.ts'

/** A point to return to: a height, and the state at that time, which may include patches made after the block. */
export type Mark = { number: number; revision: number }

/** A change of a chain with the values that it sets: a block, a run of empty blocks with the block after it, or a patch of the newest state. */
export type ChainChange = { changes: [name: string, value: unknown][] } & (
  | { kind: 'block'; block: ChainBlock }
  | { kind: 'run'; run: EmptyRun; block: ChainBlock }
  | { kind: 'patch' }
)

/** The block and index of a mined transaction. */
export type Place = { block: number; index: number }

/** The blocks of a chain, and the state after each of them. */
export type BlockStore = ReturnType<typeof createBlockStore>

/**
 * Creates an empty store.
 *
 * @param first - Height of the first block: above 0 on a fork, which does not store the blocks before.
 * @param base - State before the first block.
 */
export function createBlockStore({ base, first = 0 }: { base?: StateReader; first?: number } = {}) {
  const history = createHistory(base)
  /** From the first block on, without those of runs. */
  const blocks: ChainBlock[] = []
  const runs = createRunList()
  /** The revision of the state after each of them, later patches included. */
  const revisions: number[] = []
  /** The block that each revision belongs to. */
  const heights: number[] = []
  const byId = new Map<string, number>()
  const places = new Map<string, Place>()
  /** How many times blocks or patches were undone, and whether a block was added since. */
  let returns = 0
  let isNewBranch = false
  const top = () => blocks.at(-1)?.header.number ?? first

  /** The index of the stored block at a height, or of the last one before it when it is in a run. */
  const indexOf = (number: number) => {
    const run = runs.at(number)
    return (run ? run.from - 1 : number) - first - runs.blocksBefore(run ? run.from : number)
  }

  function record(number: number, changes: ReadonlyMap<string, unknown>): void {
    const revision = history.apply(changes)
    revisions[indexOf(number)] = revision
    heights[revision] = number
  }

  /** Removes every block above a height, which is not in a run. */
  function drop(number: number): ChainBlock[] {
    const undone = blocks.splice(indexOf(number) + 1)
    runs.dropAbove(number)
    revisions.length = blocks.length
    for (const block of undone) {
      byId.delete(block.id)
      for (const { transaction } of block.transactions) places.delete(transaction.id)
    }
    return undone
  }

  function* stored(from: number, to: number, step: 1 | -1 = 1): Generator<ChainBlock> {
    const isInside = (block: ChainBlock) => (to - block.header.number) * step >= 0
    // A height in a run has the index of the block before the run.
    let index = indexOf(from) + (step > 0 && runs.at(from) ? 1 : 0)
    for (let block = blocks[index]; block && isInside(block); block = blocks[(index += step)])
      yield block
  }

  function truncate(revision: number): void {
    history.truncate(revision)
    heights.length = revision + 1
  }

  return {
    head: () => blocks.at(-1) as ChainBlock,
    block: (number: number): ChainBlock | undefined => {
      const run = runs.at(number)
      return run ? run.blockAt(number) : blocks[indexOf(number)]
    },
    numberOf: (id: string): number | undefined => byId.get(id) ?? runs.numberOf(id),
    placeOf: (id: string): Place | undefined => places.get(id),
    /** The newest state. */
    state: (): StateReader => history.at(history.revision()),
    /** The state after the block at a height. */
    stateAt: (number: number): StateReader =>
      history.at(revisions[indexOf(Math.min(number, top()))] ?? -1),
    /** A state to change on top of the newest one. */
    overlay: (): Overlay => createOverlay(history.at(history.revision())),
    /** The last block up to `number` that changed a key. */
    changedAt(table: keyof Tables, key: string, number: number): number | undefined {
      const revision = history.changedAt(table, key, revisions[indexOf(number)] ?? -1)
      return revision === undefined ? undefined : heights[revision]
    },

    add(block: ChainBlock, changes: ReadonlyMap<string, unknown>): void {
      const { number } = block.header
      blocks.push(block)
      isNewBranch = false
      record(number, changes)
      byId.set(block.id, number)
      if (number === first) return
      for (const [index, { transaction }] of block.transactions.entries())
        places.set(transaction.id, { block: number, index })
    },

    /** Adds a run of empty blocks after the newest block. The block after it must be added next. */
    addRun: (run: Run): void => runs.add(run),

    /** The run that a height is in, or else the first one above it. */
    nextRun: runs.next,

    /** The stored blocks of a range, upwards (1) or downwards: those of runs, which have no transactions, are left out. */
    stored,

    /** Changes the state of the newest block without a block. */
    patch: (changes: ReadonlyMap<string, unknown>): void => record(top(), changes),

    /** Every change of the chain that was not undone, oldest first, from which another store can be filled. */
    *changes(): Generator<ChainChange> {
      let revision = 0
      for (const block of blocks) {
        const { number } = block.header
        const run = runs.at(number - 1)
        const changes = [...history.changesAt(revision++)]
        yield run ? { kind: 'run', run, block, changes } : { kind: 'block', block, changes }
        for (; heights[revision] === number; revision++)
          yield { kind: 'patch', changes: [...history.changesAt(revision)] }
      }
    },

    /** The keys of a table that begin with a text, of any state. */
    keysOf: (...of: Parameters<typeof history.keysOf>) => history.keysOf(...of),

    /** How many branches the chain has begun. */
    branches: () => returns,

    /** Removes all blocks and the whole state. The next branch gets a higher number than `branches`. */
    clear(branches: number): void {
      blocks.length = 0
      runs.dropAbove(-1)
      byId.clear()
      places.clear()
      revisions.length = 0
      truncate(-1)
      returns = Math.max(returns, branches) + 1
    },

    /** Marks the next block as the first of a branch. */
    branch: (): void => void (isNewBranch = true),

    /** The changes of the newest block or patch. */
    lastChanges: () => history.changesAt(history.revision()),

    mark: (): Mark => ({ number: top(), revision: history.revision() }),

    /** Returns to a point. The result is the list of removed blocks, oldest first. */
    returnTo({ number, revision }: Mark): ChainBlock[] {
      const undone = drop(number)
      truncate(revision)
      revisions[indexOf(number)] = revision
      returns++
      isNewBranch = true
      return undone
    },

    /** The number of the branch that the next block begins; undefined when it continues one. */
    newBranch: (): number | undefined => (isNewBranch ? returns : undefined),

    /** The point after the block at a height, which is not in a run. */
    markAt: (number: number): Mark => ({ number, revision: revisions[indexOf(number)] ?? -1 }),
  }
}
