import type { BlockRange, NextRun } from '../reads/blockRange.ts'
import type { IndexedLogs } from './indexedLogs.ts'

/** A log index that knows only that the blocks of runs have no logs. So a search of any range reads no block of a run. */
export function emptyRunIndex(nextRun: NextRun): IndexedLogs {
  return {
    async search({ from, to }) {
      const covered: BlockRange[] = []
      for (let run = nextRun(from); run && run.from <= to; run = nextRun(run.to + 1))
        covered.push({ from: Math.max(from, run.from), to: Math.min(to, run.to) })
      return [{ blocks: [], bytes: Buffer.alloc(0), count: 0, covered, ends: [] }]
    },
  }
}
