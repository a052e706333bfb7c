import type { Hash, Hex } from 'viem'

import { toQuantity } from '../codec/quantity.ts'
import type { RpcLog } from '../codec/types.ts'
import { LimitExceededError, RpcError, UpstreamError } from '../errors.ts'
import type { Wire } from '../lib/wire.ts'
import type { Blocks, CanonicalView } from './blocks.ts'
import type { CachedBlock } from './cachedBlock.ts'
import type { LogMatch } from './chainTypes.ts'
import { createLogMatcher, type LogMatcher } from './logMatch.ts'
import { joinRows } from './rows.ts'
import type { BlockSpans } from './spans.ts'

/** Blocks from one height to another, both included. */
export type BlockRange = { from: number; to: number }

/** Spans that one search reads at a time; each asks for its blocks in parallel. */
const WORKERS = 4
/** Times that a search starts over because a reorg crossed it. */
const ATTEMPTS = 3

/**
 * The logs of a range of blocks that are all there, in order.
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
  return joinRows(await logRowsOfRange(range, match, options))
}

/** The same logs, each as a row of its own. @throws as `logsOfRange` */
export async function logRowsOfRange(
  range: BlockRange,
  match: LogMatch,
  options: logsOfRange.Options,
): Promise<Wire<RpcLog>[]> {
  if (range.to - range.from > options.maxBlocks)
    throw new RpcError(-32602, `exceed max block range: ${options.maxBlocks}`, {
      data: suggestion(range.from, range.from + options.maxBlocks, options.maxBlocks),
    })
  const matcher = createLogMatcher(match)
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const rows = await scan(range, matcher, options)
    if (rows) return rows
  }
  throw new UpstreamError('the chain is switching branches; ask for these logs again')
}

export declare namespace logsOfRange {
  type Options = {
    blocks: Pick<Blocks, 'hashAt'>
    spans: BlockSpans
    head: Pick<CanonicalView, 'solid'>
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
  const rows = block.logs(createLogMatcher(match))
  if (rows.length > maxResults) throw tooMany(maxResults)
  return joinRows(rows)
}

/** Reads and searches a range; undefined when a reorg made the blocks differ from those it began with. */
async function scan(
  { from, to }: BlockRange,
  matcher: LogMatcher,
  { blocks, head, maxResults, signal, spans }: logsOfRange.Options,
): Promise<Wire<RpcLog>[] | undefined> {
  const pins = new Map<number, Hash | undefined>()
  for (let number = Math.max(from, head.solid().number + 1); number <= to; number++)
    pins.set(number, blocks.hashAt(number))

  const found: (Wire<RpcLog>[] | undefined)[] = Array.from({ length: to - from + 1 })
  let next = from
  let total = 0
  let isSame = true

  async function work(): Promise<void> {
    while (next <= to && total <= maxResults && isSame) {
      signal?.throwIfAborted()
      const start = next
      next = Math.min(to + 1, start + spans.step())
      const read = await spans.read(start, next - 1, signal)
      for (const [offset, block] of read.entries()) {
        const pin = pins.get(start + offset)
        if (!block || (pin !== undefined && pin !== block.id.hash)) {
          isSame = false
          return
        }
        const rows = block.logs(matcher)
        found[start + offset - from] = rows
        total += rows.length
      }
    }
  }

  await Promise.all(Array.from({ length: WORKERS }, work))
  if (!isSame) return undefined
  if (total > maxResults) throw tooMany(maxResults, fitting(found, from, maxResults))
  return found.flatMap((rows) => rows ?? [])
}

/** The longest range from the beginning whose logs fit; undefined when those of the first block do not. */
function fitting(
  found: readonly (readonly unknown[] | undefined)[],
  from: number,
  limit: number,
): BlockRange | undefined {
  let sum = 0
  let count = 0
  for (const rows of found) {
    sum += rows?.length ?? Infinity
    if (sum > limit) break
    count += 1
  }
  return count > 0 ? { from, to: from + count - 1 } : undefined
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
