import type { Hex } from 'viem'

import { toQuantity } from '../../codec/quantity.ts'
import type { RpcLog } from '../../codec/types.ts'
import type { Call } from '../../lib/call.ts'
import { NarrowRangeError, RpcError, UpstreamError } from '../../lib/errors.ts'
import type { Prepared } from '../../lib/prepared.ts'
import { together } from '../../lib/together.ts'
import type { Blocks, CanonicalView } from '../blocks/blocks.ts'
import type { CachedBlock } from '../blocks/cachedBlock.ts'
import type { LogMatch, LogOrigin } from '../blocks/chainTypes.ts'
import { arrayOf, blockOfRow, type LogChunk } from '../blocks/logChunk.ts'
import { createLogMatcher } from '../blocks/logMatch.ts'
import type { BlockRange } from '../reads/blockRange.ts'
import type { OutcomeSource } from './hintedBlock.ts'
import { readHinted } from './hintedLogs.ts'
import {
  countInIndex,
  gapsBetween,
  type IndexedLogs,
  joinRanges,
  searchIndex,
} from './indexedLogs.ts'
import type { LogHints } from './logHints.ts'
import { pinsOf, scanBlocks, takeCount, takeRows } from './logScan.ts'
import { joinOrigins } from './origins.ts'
import { type SearchMemory, searchMemory } from './searchMemory.ts'
import type { BlockSpans } from './spans.ts'

/** Attempts of a search that reorgs interrupt. */
const ATTEMPTS = 3

/**
 * The logs of a range of existing blocks, in order: from the log index where it covers the range and can be read, otherwise from
 * blocks.
 *
 * Blocks above the solidified one are pinned by hash at the start, so an answer never mixes two branches.
 *
 * @throws RpcError -32602 for too many blocks, NarrowRangeError for too many logs; both suggest a shorter range. UpstreamError
 * when only the index could answer and it cannot be read.
 */
export async function logsOfRange(
  range: BlockRange,
  match: LogMatch,
  options: logsOfRange.Options,
): Promise<Prepared<RpcLog[]>> {
  const { chunks, count } = await wholeRange(range, match, options).catch(withFailureOfIndex)
  return arrayOf(chunks, count)
}

/** The same logs, each as a separate row. @throws as `logsOfRange` */
export async function logRowsOfRange(
  range: BlockRange,
  match: LogMatch,
  options: logsOfRange.Options,
): Promise<Prepared<RpcLog>[]> {
  const { chunks } = await wholeRange(range, match, options)
  return chunks.flatMap((chunk) => Array.from({ length: chunk.count }, (_, row) => chunk.row(row)))
}

export declare namespace logsOfRange {
  type Options = {
    blocks: Pick<Blocks, 'epoch' | 'hashAt'>
    spans: BlockSpans
    head: Pick<CanonicalView, 'solid'>
    /** The log index, if configured. */
    index?: IndexedLogs | undefined
    /** Locate logs in ranges that the index does not cover. */
    hints?: LogHints | undefined
    /** Reads the transactions that hints name. */
    native: OutcomeSource
    /** Whether whole blocks are cheap to read (see `readHinted`). @default false */
    hasGrpc?: (() => boolean) | undefined
    /** Maximum number of blocks that one search reads. Blocks that the index covers do not count. */
    maxBlocks: number
    maxResults: number
    call?: Call | undefined
    /** Learns where the logs come from, once, when the search has succeeded. */
    onOrigins?: ((origins: readonly LogOrigin[]) => void) | undefined
  }
}

/** The logs of one block. @throws NarrowRangeError */
export function logsOfBlock(
  block: CachedBlock,
  match: LogMatch,
  { maxResults }: { maxResults: number },
): Prepared<RpcLog[]> {
  const chunk = block.logs(createLogMatcher(match))
  if (chunk.count > maxResults) throw tooMany(maxResults)
  return arrayOf([chunk], chunk.count)
}

/** The first `maxResults` + 1 logs of a range, in chunks in the order of the chain. */
export async function findLogs(
  range: BlockRange,
  match: LogMatch,
  options: logsOfRange.Options,
): Promise<{ chunks: LogChunk[]; count: number }> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const memory = searchMemory.open(options.call)
    try {
      const found = await tryToFind(range, match, options, memory)
      if (!found) continue
      const { chunks, origins } = found
      options.onOrigins?.(joinOrigins(origins))
      return { chunks, count: chunks.reduce((sum, { count }) => sum + count, 0) }
    } finally {
      memory.free()
    }
  }
  throw new UpstreamError('a reorg is in progress: retry this log search')
}

/**
 * The number of matching logs of a range, from the index and from blocks, without building rows.
 *
 * @throws RpcError -32602 for too many blocks that the index does not cover, NarrowRangeError when it takes too long.
 */
export function countLogs(
  range: BlockRange,
  match: LogMatch,
  options: logsOfRange.Options,
): Promise<number> {
  return countWhole(range, match, options).catch(withFailureOfIndex)
}

async function countWhole(
  { from, to }: BlockRange,
  match: LogMatch,
  options: logsOfRange.Options,
): Promise<number> {
  const { blocks, head, index, maxBlocks, onOrigins, call, spans } = options
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const epoch = blocks.epoch()
    const pins = pinsOf({ from, to }, { blocks, head })
    const isOptional = to - from <= maxBlocks
    const { count, failure, parts } = index
      ? await countInIndex(index, { from, to }, match, { isOptional, call })
      : { count: 0, parts: [] }
    const gaps = gapsBetween(parts, { from, to })
    requireFew(gaps, { failure, from, index, maxBlocks, parts })
    const matcher = createLogMatcher(match)
    const read = await together(call, (own) =>
      gaps.map((gap) =>
        scanBlocks(gap, matcher, { limit: Infinity, pins, call: own, spans, take: takeCount }),
      ),
    )
    if (epoch === blocks.epoch() && read.every((part) => part !== undefined)) {
      onOrigins?.(joinOrigins([...fromIndex(parts), ...read.flatMap(({ origins }) => origins)]))
      return read.flatMap(({ chunks }) => chunks).reduce((sum, chunk) => sum + chunk.count, count)
    }
  }
  throw new UpstreamError('a reorg is in progress: retry this log search')
}

/** All logs of a range. @throws NarrowRangeError */
async function wholeRange(
  range: BlockRange,
  match: LogMatch,
  options: logsOfRange.Options,
): Promise<{ chunks: LogChunk[]; count: number }> {
  const found = await findLogs(range, match, options)
  const { maxResults } = options
  if (found.count <= maxResults) return found
  // The longest leading range whose logs fit ends before the block of the row that exceeds the limit.
  const to = blockOfRow(found.chunks, maxResults) - 1
  throw tooMany(maxResults, to < range.from ? undefined : { from: range.from, to })
}

/** One attempt of a search. Undefined when a reorg interrupted it. */
async function tryToFind(
  { from, to }: BlockRange,
  match: LogMatch,
  options: logsOfRange.Options,
  memory: SearchMemory,
): Promise<{ chunks: LogChunk[]; origins: LogOrigin[] } | undefined> {
  const { blocks, head, index, maxBlocks, maxResults: limit, call, spans } = options
  const epoch = blocks.epoch()
  // Pinned before the first read, so that the search detects blocks that a reorg replaces meanwhile.
  const pins = pinsOf({ from, to }, { blocks, head })
  const isOptional = to - from <= maxBlocks
  const indexed =
    index && (await searchIndex(index, { from, to }, match, { isOptional, limit, call }))
  const end = indexed?.end ?? to
  const gaps = gapsBetween(indexed?.parts ?? [], { from, to: end })
  requireFew(gaps, {
    failure: indexed?.failure,
    from,
    index,
    maxBlocks,
    parts: indexed?.parts ?? [],
  })

  const matcher = createLogMatcher(match)
  const chunks = [...(indexed?.parts ?? [])]
  const origins = fromIndex(chunks)
  // Hints exist only for solidified blocks.
  for (const gap of gaps.flatMap((gap) => splitAfter(gap, head.solid().number))) {
    const hinted = await findByHints(gap, match, options, memory)
    const found = hinted
      ? { chunks: hinted, origins: [{ ...gap, source: 'nodeSearch' as const }] }
      : await scanBlocks(gap, matcher, { limit, memory, pins, call, spans, take: takeRows })
    if (!found) return undefined
    origins.push(...found.origins)
    for (const chunk of found.chunks) chunks.push({ ...gap, chunk })
  }
  if (epoch !== blocks.epoch()) return undefined
  return {
    chunks: chunks.toSorted((a, b) => a.from - b.from).map(({ chunk }) => chunk),
    origins,
  }
}

const fromIndex = (parts: readonly BlockRange[]): LogOrigin[] =>
  parts.map(({ from, to }) => ({ from, to, source: 'index' }))

/** Splits a range that crosses a height into the part up to it and the part above it. */
function splitAfter({ from, to }: BlockRange, height: number): BlockRange[] {
  if (to <= height || from > height) return [{ from, to }]
  return [
    { from, to: height },
    { from: height + 1, to },
  ]
}

/** The logs of a range of solidified blocks by hints; undefined when there are no hints, or when they are wrong. */
async function findByHints(
  range: BlockRange,
  match: LogMatch,
  { head, hints, maxResults: limit, native, hasGrpc, call, spans }: logsOfRange.Options,
  memory: SearchMemory,
): Promise<LogChunk[] | undefined> {
  if (!hints || range.to > head.solid().number) return undefined
  // The searches of the node that are not needed any more stop with it.
  const [found] = await together(call, (own) => {
    const lists = hints.blocksWith(range, match, { limit, call: own })
    if (!lists) return []
    const matcher = createLogMatcher(match)
    const options = { limit, memory, native, hasGrpc: hasGrpc?.() ?? false, call: own, spans }
    return [readHinted(lists, matcher, options)]
  })
  return found
}

/** Checks the number of blocks that a search has to read. @throws TooManyBlocksError */
function requireFew(
  gaps: readonly BlockRange[],
  { failure, from, index, maxBlocks, parts }: RequireFew,
): void {
  // One more than the limit, because the node’s own JSON-RPC compares the difference of the ends with it.
  let left = maxBlocks + 1
  for (const gap of gaps) {
    const length = gap.to - gap.from + 1
    if (length > left)
      throw new TooManyBlocksError(
        { from, to: Math.max(from, gap.from + left - 1) },
        maxBlocks,
        index === undefined ? undefined : joinRanges(parts),
        failure,
      )
    left -= length
  }
}

type RequireFew = {
  /** Why the index could not be read. */
  failure: UpstreamError | undefined
  from: number
  index: unknown
  maxBlocks: number
  parts: readonly BlockRange[]
}

/** A client can do nothing about a range that is too long only while the index cannot be read. */
function withFailureOfIndex(error: unknown): never {
  throw error instanceof TooManyBlocksError && error.cause ? error.cause : error
}

/** The error text after which indexers halve their range, with a suggested range in the format of other providers. */
function tooMany(limit: number, range?: BlockRange): NarrowRangeError {
  return new NarrowRangeError(`query returned more than ${limit} results`, {
    data: range ? suggestion(range.from, range.to, limit) : { limit },
  })
}

function suggestion(
  from: number,
  to: number,
  limit: number,
): { from: Hex; to: Hex; limit: number } {
  return { from: toQuantity(from), to: toQuantity(to), limit }
}

/** `-32602`: the search would have to read too many blocks. `range` is a shorter one that is allowed. */
export class TooManyBlocksError extends RpcError {
  override name = 'TooManyBlocksError'
  readonly range: BlockRange

  /** @param cause - why the index could not be read */
  constructor(
    range: BlockRange,
    limit: number,
    indexed: readonly BlockRange[] | undefined,
    cause?: UpstreamError,
  ) {
    super(-32602, `exceed max block range: ${limit}`, {
      cause,
      data: {
        ...suggestion(range.from, range.to, limit),
        ...(indexed && {
          indexed: indexed.map(({ from, to }) => ({ from: toQuantity(from), to: toQuantity(to) })),
        }),
      },
    })
    this.range = range
  }
}
