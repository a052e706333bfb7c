import type { Batch } from '../engine/engine.ts'
import { PART_BLOCKS, PART_LEVEL, packKey, segmentKey } from '../format/keys.ts'
import { firstOf, lastOf, type Segment } from './coverage.ts'

/** Removes a segment and all its rows. */
export async function removeSegment(batch: Batch, segment: Segment): Promise<void> {
  const { level } = segment
  const first = firstOf(segment)
  const end = lastOf(segment) + 1
  await batch.deleteRange('logs', { from: packKey(first, 0), to: packKey(end, 0) })
  await removePostings(batch, level, segment.segment, segment.segment + 1)
  if (level === 2) await removePostings(batch, PART_LEVEL, first / PART_BLOCKS, end / PART_BLOCKS)
  await batch.delete('segments', [segmentKey(level, segment.segment)])
}

/** Removes the posting lists of neighbouring segments, the last one not included. */
export async function removePostings(
  batch: Batch,
  level: number,
  from: number,
  to: number,
): Promise<void> {
  await batch.deleteRange('postings', { from: segmentKey(level, from), to: segmentKey(level, to) })
}
