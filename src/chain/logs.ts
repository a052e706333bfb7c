import type { Hex } from 'viem'

import { toQuantity } from '../codec/quantity.ts'
import type { RpcLog } from '../codec/types.ts'
import { LimitExceededError, RpcError, UpstreamError } from '../errors.ts'
import type { Wire } from '../lib/wire.ts'
import type { Blocks, CanonicalView } from './blocks.ts'
import type { CachedBlock } from './cachedBlock.ts'
import type { LogMatch } from './chainTypes.ts'
import { readHinted, type TransactionSource } from './hintedLogs.ts'
import { countInIndex, gapsBetween, type IndexedLogs, searchIndex } from './indexedLogs.ts'
import { arrayOf, blockOfRow, type LogChunk } from './logChunk.ts'
import type { LogHints } from './logHints.ts'
import { createLogMatcher } from './logMatch.ts'
import { type BlockRange, pinsOf, scanBlocks, takeCount, takeRows } from './logScan.ts'
import { type SearchMemory, searchMemory } from './searchMemory.ts'
import type { BlockSpans } from './spans.ts'

/** Times that a search starts over because a reorg crossed it. */
const ATTEMPTS = 3

/**
 * The logs of a range of blocks that are all there, in order: from the log index what it covers, the rest from blocks.
 *
 * Blocks above the solidified one are pinned by hash at the start, so an answer never mixes two branches.
 *
 * @throws RpcError -32602 for too many blocks, LimitExceededError for too many logs; both with a range that would do.
 */
export async function logsOfRange(
  range: BlockRange,
  match: LogMatch,
  options: logsOfRange.Options,
): Promise<Wire<RpcLog[]>> {
  const { chunks, count } = await wholeRange(range, match, options)
  return arrayOf(chunks, count)
}

/** The same logs, each as a row of its own. @throws as `logsOfRange` */
export async function logRowsOfRange(
  range: BlockRange,
  match: LogMatch,
  options: logsOfRange.Options,
): Promise<Wire<RpcLog>[]> {
  const { chunks } = await wholeRange(range, match, options)
  return chunks.flatMap((chunk) => Array.from({ length: chunk.count }, (_, row) => chunk.row(row)))
}

export declare namespace logsOfRange {
  type Options = {
    blocks: Pick<Blocks, 'epoch' | 'hashAt'>
    spans: BlockSpans
    head: Pick<CanonicalView, 'solid'>
    /** Where there is one. */
    index?: IndexedLogs | undefined
    /** Say where logs are, where the index does not cover. */
    hints?: LogHints | undefined
    /** Reads what hints point at. */
    native: TransactionSource
    /** Most blocks that are read for one search; those that the index covers do not count. */
    maxBlocks: number
    maxResults: number
    signal?: AbortSignal | undefined
  }
}

/** The logs of one block. @throws LimitExceededError */
export function logsOfBlock(
  block: CachedBlock,
  match: LogMatch,
  { maxResults }: { maxResults: number },
): Wire<RpcLog[]> {
  const chunk = block.logs(createLogMatcher(match))
  if (chunk.count > maxResults) throw tooMany(maxResults)
  return arrayOf([chunk], chunk.count)
}

/** The logs of a range from its beginning on, up to `maxResults` and one more. The chunks are in order. */
export async function findLogs(
  range: BlockRange,
  match: LogMatch,
  options: logsOfRange.Options,
): Promise<{ chunks: LogChunk[]; count: number }> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const memory = searchMemory.open()
    try {
      const chunks = await tryToFind(range, match, options, memory)
      if (chunks) return { chunks, count: chunks.reduce((sum, { count }) => sum + count, 0) }
    } finally {
      memory.free()
    }
  }
  throw new UpstreamError('a reorg is in progress: retry this log search')
}

/**
 * How many logs of a range match: from the index without making a row of any, and from blocks.
 *
 * @throws RpcError -32602 for too many blocks that the index does not cover, LimitExceededError when it takes too long.
 */
export async function countLogs(
  { from, to }: BlockRange,
  match: LogMatch,
  options: logsOfRange.Options,
): Promise<number> {
  const { blocks, head, index, maxBlocks, signal, spans } = options
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const epoch = blocks.epoch()
    const pins = pinsOf({ from, to }, { blocks, head })
    const { count, parts } = index
      ? await countInIndex(index, { from, to }, match, signal)
      : { count: 0, parts: [] }
    const gaps = gapsBetween(parts, { from, to })
    requireFew(gaps, { from, index, maxBlocks, parts })
    const matcher = createLogMatcher(match)
    const chunks = await Promise.all(
      gaps.map((gap) =>
        scanBlocks(gap, matcher, { limit: Infinity, pins, signal, spans, take: takeCount }),
      ),
    )
    if (epoch === blocks.epoch() && chunks.every((chunk) => chunk !== undefined))
      return chunks.flat().reduce((sum, chunk) => sum + chunk.count, count)
  }
  throw new UpstreamError('a reorg is in progress: retry this log search')
}

/** All logs of a range. @throws LimitExceededError */
async function wholeRange(
  range: BlockRange,
  match: LogMatch,
  options: logsOfRange.Options,
): Promise<{ chunks: LogChunk[]; count: number }> {
  const found = await findLogs(range, match, options)
  const { maxResults } = options
  if (found.count <= maxResults) return found
  // The longest range from the beginning whose logs fit ends before the block of the row too many.
  const to = blockOfRow(found.chunks, maxResults) - 1
  throw tooMany(maxResults, to < range.from ? undefined : { from: range.from, to })
}

/** Undefined when a reorg crossed the search. */
async function tryToFind(
  { from, to }: BlockRange,
  match: LogMatch,
  options: logsOfRange.Options,
  memory: SearchMemory,
): Promise<LogChunk[] | undefined> {
  const { blocks, head, index, maxBlocks, maxResults: limit, signal, spans } = options
  const epoch = blocks.epoch()
  // Pinned before anything is read, so that blocks which are solidified or orphaned meanwhile are noticed.
  const pins = pinsOf({ from, to }, { blocks, head })
  const indexed = index && (await searchIndex(index, { from, to }, match, { limit, signal }))
  const end = indexed?.end ?? to
  const gaps = gapsBetween(indexed?.parts ?? [], { from, to: end })
  requireFew(gaps, { from, index, maxBlocks, parts: indexed?.parts ?? [] })

  const matcher = createLogMatcher(match)
  const chunks = [...(indexed?.parts ?? [])]
  // Hints are of solidified blocks.
  for (const gap of gaps.flatMap((gap) => splitAfter(gap, head.solid().number))) {
    const found =
      (await findByHints(gap, match, options, memory)) ??
      (await scanBlocks(gap, matcher, { limit, memory, pins, signal, spans, take: takeRows }))
    if (!found) return undefined
    for (const chunk of found) chunks.push({ ...gap, chunk })
  }
  if (epoch !== blocks.epoch()) return undefined
  return chunks.toSorted((a, b) => a.from - b.from).map(({ chunk }) => chunk)
}

/** Splits a range that continues above a height. */
function splitAfter({ from, to }: BlockRange, height: number): BlockRange[] {
  if (to <= height || from > height) return [{ from, to }]
  return [
    { from, to: height },
    { from: height + 1, to },
  ]
}

/** The logs of a range of solidified blocks by hints; undefined where there are none, or they are wrong. */
async function findByHints(
  range: BlockRange,
  match: LogMatch,
  { head, hints, maxResults: limit, native, signal, spans }: logsOfRange.Options,
  memory: SearchMemory,
): Promise<LogChunk[] | undefined> {
  if (!hints || range.to > head.solid().number) return undefined
  const hinted = await hints.blocksWith(range, match, { limit, signal })
  return (
    hinted && readHinted(hinted, createLogMatcher(match), { limit, memory, native, signal, spans })
  )
}

/** @throws RpcError when more blocks would have to be read than one search may. */
function requireFew(
  gaps: readonly BlockRange[],
  {
    from,
    index,
    maxBlocks,
    parts,
  }: { from: number; index: unknown; maxBlocks: number; parts: readonly BlockRange[] },
): void {
  // One more than the limit, as the node’s own JSON-RPC counts: it compares the difference of the ends.
  let left = maxBlocks + 1
  for (const gap of gaps) {
    const length = gap.to - gap.from + 1
    if (length > left)
      throw new TooManyBlocksError(
        { from, to: Math.max(from, gap.from + left - 1) },
        maxBlocks,
        index === undefined ? undefined : parts,
      )
    left -= length
  }
}

/** The text that indexers look for before they halve their range, and the range as other providers spell it. */
function tooMany(limit: number, range?: BlockRange): LimitExceededError {
  return new LimitExceededError(`query returned more than ${limit} results`, {
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

/** `-32602`: more blocks would have to be read than one search may. `range` is one that would do. */
export class TooManyBlocksError extends RpcError {
  override name = 'TooManyBlocksError'
  readonly range: BlockRange

  constructor(range: BlockRange, limit: number, indexed: readonly BlockRange[] | undefined) {
    super(-32602, `exceed max block range: ${limit}`, {
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
