import type { BlockRange } from '../../chain/reads/blockRange.ts'
import { firstOf, lastOf, type Segment } from '../store/coverage.ts'

/** The second half of the rest of a long search, for another thread. */
export type Half = {
  /** Its first block. */
  from: number
  anchor: Anchor
}

/**
 * The last block of the segment that has the block before the second half. The two threads read different snapshots, and a
 * reorg may replace blocks between them. A block's hash depends on all blocks before it, so snapshots with the same anchor have the
 * same blocks up to it. Blocks after the anchor are in the second half only, so they come from one snapshot.
 */
export type Anchor = { block: number; hash: string }

/** The rest is split when it takes at least this many times as long as the work after which a search may be split. */
const LEAST_REST = 4

/** Milliseconds to look up one list, about. */
const LIST_TIME = 0.0015

/**
 * Splits the rest of a search into two halves that take about the same time. Returns the second one for another thread; undefined
 * when the rest is too short.
 */
export function halfOf({
  count,
  done,
  limit = Infinity,
  lists,
  range,
  segments,
  splitAfter,
  worked,
}: halfOf.Options): Half | undefined {
  const searched = done - range.from + 1
  const left = range.to - done
  if (worked < splitAfter || searched < 1 || left < 2) return undefined
  if ((worked / searched) * left < splitAfter * LEAST_REST) return undefined
  // The first half may already have all rows that are wanted.
  if (count * (1 + left / searched) > limit) return undefined
  const parts = segments.flatMap((segment) => {
    const from = Math.max(firstOf(segment), done + 1)
    const blocks = Math.min(lastOf(segment), range.to) - from + 1
    const time = (worked / searched) * blocks + lists * LIST_TIME
    return blocks < 1 ? [] : [{ blocks, from, segment, time }]
  })
  let half = parts.reduce((sum, { time }) => sum + time, 0) / 2
  for (const { blocks, from, segment, time } of parts) {
    if (half > time) {
      half -= time
      continue
    }
    const middle = from - 1 + Math.floor((blocks * half) / time)
    return {
      from: Math.max(middle, done + 1) + 1,
      anchor: { block: lastOf(segment), hash: segment.lastHash },
    }
  }
  return undefined
}

export declare namespace halfOf {
  type Options = {
    /** The covered part of the search's range. */
    range: BlockRange
    /** The last block that is searched. */
    done: number
    /** Rows up to it. */
    count: number
    limit?: number | undefined
    /** Lists to look up in each segment. */
    lists: number
    /** Milliseconds of work so far. */
    worked: number
    /** Milliseconds of work after which a search may be split. */
    splitAfter: number
    segments: readonly Segment[]
  }
}

/** Whether a snapshot has an anchor. A merge may hide it. */
export function hasAnchor(segments: readonly Segment[], { block, hash }: Anchor): boolean {
  return segments.some((segment) => lastOf(segment) === block && segment.lastHash === hash)
}
