import { createStop, type StopSignal } from '../../lib/stopSignal.ts'
import type { Half } from './half.ts'
import type { SearchAnswer, SearchRequest } from './search.ts'

/** Searches in one thread. Undefined when there is no index. */
export type Search = (
  request: SearchRequest,
  signal?: StopSignal,
  onHalf?: (half: Half) => void,
) => Promise<SearchAnswer | undefined>

/**
 * Searches with one thread, and the second half of a long search with another at the same time. Gives the answers in order,
 * with at most one row more than the limit together.
 *
 * @param other - chooses the thread of the second half
 * @throws the signal's reason, or what a search throws
 */
export async function searchSplit(
  search: Search,
  other: () => Search,
  request: SearchRequest,
  signal?: StopSignal,
): Promise<SearchAnswer[]> {
  const half = createStop(signal)
  let second: Promise<SearchAnswer | undefined> | undefined
  try {
    const first = await search(request, signal, ({ anchor, from }) => {
      second = other()({ ...request, anchor, from }, half)
      // It fails when it is cancelled.
      second.catch(() => {})
    })
    if (!first) return []
    const { count, stoppedAfter } = first
    const isEnough = stoppedAfter !== undefined || count > (request.limit ?? Infinity)
    if (!second || isEnough) return [first]
    const rest = await second
    if (rest && !rest.lacksAnchor) return [first, withoutMore(rest, request.limit, count)]
    // A reorg or a merge came between the two snapshots.
    const whole = await search(request, signal)
    return whole ? [whole] : []
  } finally {
    signal?.removeEventListener('abort', half)
    half.stop(new Error('the search has ended'))
  }
}

/** An answer without the rows that exceed the limit by more than one. */
function withoutMore(
  answer: SearchAnswer,
  limit: number | undefined,
  before: number,
): SearchAnswer {
  if (limit === undefined) return answer
  const count = Math.min(answer.count, limit + 1 - before)
  const { blocks, ends } = answer
  return { ...answer, count, blocks: blocks.subarray(0, count), ends: ends.subarray(0, count) }
}
