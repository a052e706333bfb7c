import { toQuantity } from '../../codec/quantity.ts'
import type { Call } from '../../lib/call.ts'
import { NarrowRangeError, UpstreamError } from '../../lib/errors.ts'
import type { LogMatch } from '../blocks/chainTypes.ts'
import { type LogChunk, packedChunk, type PackedRows } from '../blocks/logChunk.ts'
import type { BlockRange } from '../reads/blockRange.ts'

/** The log index as searches see it. */
export type IndexedLogs = {
  /**
   * Gives the answers of the parts of the range, in order.
   *
   * @throws UpstreamError when the index cannot be read; the signal's reason
   */
  search(
    request: IndexSearch,
    options?: {
      call?: Call | undefined
      /** The caller can read the blocks elsewhere, so it does not wait for an index that does not answer. @default false */
      isOptional?: boolean
    },
  ): Promise<IndexAnswer[]>
}

type IndexSearch = {
  from: number
  to: number
  /** Hex without `0x`, lower case. */
  addresses: readonly string[]
  topics: readonly (readonly string[] | null)[]
  /** Maximum number of rows; the answers have one more if there are more. Without a limit the search only counts. */
  limit?: number
}

/** The answer of the index for a part of a range. */
type IndexAnswer = PackedRows & {
  /** The ranges that were searched, in order. */
  covered: BlockRange[]
  count: number
  /** Set when the search ran out of time: it did not search the blocks after this one. */
  stoppedAfter?: number
}

/** A part of a range that the index answered. */
export type IndexedPart = BlockRange & { chunk: LogChunk }

/**
 * Searches the index. `end` is the last block that the answer needs: the block of the row that exceeds `limit`, otherwise
 * the end of the range. An index that cannot be read covers nothing, and `failure` says why.
 *
 * @throws NarrowRangeError when the search takes too long, with a range that was searched in time.
 */
export async function searchIndex(
  index: IndexedLogs,
  { from, to }: BlockRange,
  match: LogMatch,
  { limit, ...options }: AskOptions & { limit: number },
): Promise<{ parts: IndexedPart[]; end: number; failure?: UpstreamError | undefined }> {
  const request = { ...toIndexMatch(match), from, to, limit }
  const { answers, failure } = await ask(index, request, options)
  const parts: IndexedPart[] = []
  let left = limit
  for (const found of answers) {
    const { blocks, covered, stoppedAfter } = found
    const isFull = blocks.length > left
    if (stoppedAfter !== undefined && !isFull) throw tooSlow({ from, to: stoppedAfter })
    const end = isFull ? (blocks[left] ?? to) : to
    let row = 0
    for (const range of covered) {
      if (range.from > end) break
      const first = row
      while (row < blocks.length && (blocks[row] ?? 0) <= range.to) row += 1
      parts.push({
        from: range.from,
        to: Math.min(range.to, end),
        chunk: packedChunk(found, first, row - first),
      })
    }
    if (isFull) return { parts, end }
    left -= blocks.length
  }
  return { parts, end: to, failure }
}

/** Counts the logs of a range in the index. Parts and failure are as in `searchIndex`. @throws NarrowRangeError when counting takes too long */
export async function countInIndex(
  index: IndexedLogs,
  { from, to }: BlockRange,
  match: LogMatch,
  options: AskOptions,
): Promise<{ parts: BlockRange[]; count: number; failure?: UpstreamError | undefined }> {
  const { answers, failure } = await ask(index, { ...toIndexMatch(match), from, to }, options)
  let count = 0
  for (const answer of answers) {
    if (answer.stoppedAfter !== undefined) throw tooSlow({ from, to: answer.stoppedAfter })
    count += answer.count
  }
  return { count, failure, parts: answers.flatMap(({ covered }) => covered) }
}

type AskOptions = { call?: Call | undefined; isOptional: boolean }

async function ask(
  index: IndexedLogs,
  request: IndexSearch,
  options: AskOptions,
): Promise<{ answers: IndexAnswer[]; failure?: UpstreamError }> {
  try {
    return { answers: await index.search(request, options) }
  } catch (error) {
    options.call?.signal?.throwIfAborted()
    if (!(error instanceof UpstreamError)) throw error
    return { answers: [], failure: error }
  }
}

/** Joins neighbouring ranges: two threads of the index may have searched them. */
export function joinRanges(ranges: readonly BlockRange[]): BlockRange[] {
  const joined: BlockRange[] = []
  for (const { from, to } of ranges) {
    const last = joined.at(-1)
    if (last && last.to + 1 === from) last.to = to
    else joined.push({ from, to })
  }
  return joined
}

/** The parts of a range that no part covers, in order. */
export function gapsBetween(parts: readonly BlockRange[], { from, to }: BlockRange): BlockRange[] {
  const gaps: BlockRange[] = []
  let next = from
  for (const part of parts) {
    if (part.to < next) continue
    if (part.from > to) break
    if (part.from > next) gaps.push({ from: next, to: part.from - 1 })
    next = part.to + 1
  }
  if (next <= to) gaps.push({ from: next, to })
  return gaps
}

/** A search in the format of the index. */
function toIndexMatch({ addresses, topics }: LogMatch): {
  addresses: string[]
  topics: (string[] | null)[]
} {
  const bare = (hex: string) => hex.slice(2).toLowerCase()
  return {
    addresses: addresses.map(bare),
    topics: topics.map((choice) => choice && choice.map(bare)),
  }
}

/** The error for a search that takes too long, because its lists are long and have few logs in common. */
function tooSlow({ from, to }: BlockRange): NarrowRangeError {
  return new NarrowRangeError('query took too long: narrow the block range', {
    data: to < from ? {} : { from: toQuantity(from), to: toQuantity(to) },
  })
}
