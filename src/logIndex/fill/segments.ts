import { gapsBetween } from '../../chain/logs/indexedLogs.ts'
import type { BlockRange } from '../../chain/reads/blockRange.ts'
import { BLOCKS_OF_LEVEL } from '../format/keys.ts'
import type { CoveredRange } from '../store/coverage.ts'

/** A segment that the filler reads and writes at once: a group of 64 blocks (level 0) or 1,024 blocks (level 1). */
export type MissingSegment = { level: 0 | 1; from: number; to: number }

const [GROUP, FILLED] = BLOCKS_OF_LEVEL

/** A block is indexed when this many solidified blocks are above it. The window holds twice as many. */
const MARGIN = 64

/** The last block that can be indexed for a solidified height: the end of a group of 64. −1 when there is none. */
export function lastIndexable(solid: number): number {
  return Math.max(-1, Math.floor((solid - MARGIN + 1) / GROUP) * GROUP - 1)
}

/** The last block of the group that contains a block. */
export const groupEnd = (number: number): number => Math.floor(number / GROUP) * GROUP + GROUP - 1

/**
 * The missing segments of a range, from the group of `from` to the last whole group. Segments of
 * 1,024 blocks where they fit, groups of 64 at the edges.
 */
export function missingSegments(
  covered: readonly Pick<CoveredRange, 'from' | 'to'>[],
  { from, to }: BlockRange,
): MissingSegment[] {
  const start = Math.floor(from / GROUP) * GROUP
  const end = Math.floor((to + 1) / GROUP) * GROUP - 1
  const segments: MissingSegment[] = []
  for (const gap of gapsBetween(covered, { from: start, to: end }))
    for (let at = gap.from; at <= gap.to;) {
      const isWhole = at % FILLED === 0 && at + FILLED - 1 <= gap.to
      const last = at + (isWhole ? FILLED : GROUP) - 1
      segments.push({ level: isWhole ? 1 : 0, from: at, to: last })
      at = last + 1
    }
  return segments
}
