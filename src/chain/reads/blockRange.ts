/** Blocks from one height to another, inclusive. */
export type BlockRange = { from: number; to: number }

/**
 * The run of empty blocks that a height is in, or else the first one above it; undefined when there is none. Only a chain in this
 * process has runs: its clients can read their blocks, but filters and subscriptions do not announce them.
 */
export type NextRun = (height: number) => BlockRange | undefined

/** The start of a range: heights that are all in one run, or heights without a run. Returns its end, and which of the two it is. */
export function stretchOf(
  nextRun: NextRun | undefined,
  { from, to }: BlockRange,
): { to: number; isRun: boolean } {
  const run = nextRun?.(from)
  if (!run || run.from > to) return { to, isRun: false }
  if (run.from > from) return { to: run.from - 1, isRun: false }
  return { to: Math.min(run.to, to), isRun: true }
}
