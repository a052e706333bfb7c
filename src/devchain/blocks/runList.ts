import { countFirst } from '../../lib/countFirst.ts'
import type { ChainBlock } from './block.ts'

/**
 * A run of empty blocks that is not stored block by block: what all its blocks follow from. `hardhat_mine` of many blocks makes
 * one, and each of its blocks is computed when it is read.
 */
export type EmptyRun = {
  /** Heights of its first and last block. */
  from: number
  to: number
  /** Time of the first block, and the time from each to the next, milliseconds. */
  time: number
  step: number
  /** Id of the block before the first. */
  parent: string
  /** The shift of the order of the producers. */
  turn: number
  /** The gas limit from which base fees are computed. */
  gasLimit: bigint
  /** As in a block; the base fee is that of the first one. */
  seen: NonNullable<ChainBlock['seen']>
}

/** A run with its blocks. */
export type Run = EmptyRun & {
  /** The block at one of its heights. */
  blockAt: (number: number) => ChainBlock
  /** Whether one of its blocks has this id. */
  has: (id: string) => boolean
}

/** Keeps the runs of a chain, in order. Each look-up takes the logarithm of their number. */
export function createRunList() {
  const runs: Run[] = []
  /** The number of blocks in all runs up to each. */
  const totals: number[] = []

  /** The number of runs that end before a height. */
  const before = (number: number) => countFirst(runs, ({ to }) => to < number)

  function at(number: number): Run | undefined {
    const run = runs[before(number)]
    return run && run.from <= number ? run : undefined
  }

  return {
    /** The run that a height is in. */
    at,
    /** The run that a height is in, or else the first one above it. */
    next: (number: number): Run | undefined => runs[before(number)],
    /** How many blocks the runs that end before a height have. */
    blocksBefore: (number: number): number => totals[before(number) - 1] ?? 0,
    numberOf(id: string): number | undefined {
      const number = Number.parseInt(id.slice(0, 16), 16)
      return at(number)?.has(id) ? number : undefined
    },
    add(run: Run): void {
      runs.push(run)
      totals.push((totals.at(-1) ?? 0) + run.to - run.from + 1)
    },
    /** Removes the runs above a height. */
    dropAbove(number: number): void {
      runs.length = before(number + 1)
      totals.length = runs.length
    },
  }
}
