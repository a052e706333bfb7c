import type { Hash } from 'viem'

import { type BlockId, heightOfHash } from '../../codec/blockRef.ts'
import { RpcError, UpstreamError } from '../../lib/errors.ts'
import { fromPrepared } from '../../lib/prepared.ts'
import type { LogCursor, LogMatch, LogOrigin, LogPage } from '../blocks/chainTypes.ts'
import { arrayOf, type LogChunk, rowOf } from '../blocks/logChunk.ts'
import { createLogMatcher } from '../blocks/logMatch.ts'
import type { BlockRange } from '../reads/blockRange.ts'
import { findLogs, type logsOfRange, TooManyBlocksError } from './logs.ts'
import { joinOrigins } from './origins.ts'

/**
 * The next logs of a range, at most `limit`. If the index does not cover the range, a page also ends after the blocks that
 * one search may read. Such a page can be short or empty without being the last one.
 *
 * @throws CursorError when a reorg removed the block of the cursor.
 */
export async function logsAfter(
  range: BlockRange,
  match: LogMatch,
  { cursor, limit, resolve, ...rest }: logsAfter.Options,
): Promise<LogPage> {
  let origins: readonly LogOrigin[] = []
  const options = { ...rest, onOrigins: (found: readonly LogOrigin[]) => (origins = found) }
  if (cursor && (await resolve(cursor.number))?.hash !== cursor.hash) throw new CursorError()
  // The logs of the cursor's block are read separately. How many of them were delivered is then no part of the search's limit.
  const first = cursor && (await firstOf(cursor))
  const from = Math.max(range.from, cursor ? cursor.number + 1 : 0)
  const left = limit - (first?.chunk.count ?? 0)
  const found =
    left < 0 || from > range.to
      ? { chunks: [], to: range.to }
      : await findAsFarAs({ from, to: range.to }, match, { ...options, maxResults: left })
  if (cursor && (options.blocks.hashAt(cursor.number) ?? cursor.hash) !== cursor.hash)
    throw new CursorError()
  const chunks = first ? [first.chunk, ...found.chunks] : found.chunks
  const count = chunks.reduce((sum, chunk) => sum + chunk.count, 0)
  const next = await nextOf()
  const all = joinOrigins([...(first ? [first.origin] : []), ...origins])
  const last = next?.number ?? found.to
  return {
    logs: arrayOf(chunks, limit),
    origins: all.flatMap((origin) =>
      origin.from > last ? [] : [{ ...origin, to: Math.min(origin.to, last) }],
    ),
    next,
  }

  /** The logs of the cursor's block after its log; undefined after a whole block. */
  async function firstOf({ hash, index, number }: LogCursor): Promise<Rest | undefined> {
    if (index === undefined || number < range.from || number > range.to) return undefined
    const source = options.spans.has(number) ? 'memory' : 'receipts'
    const block = await options.spans.readOne(number, options.call)
    if (block?.id.hash !== hash) throw new CursorError()
    return {
      chunk: block.logs(createLogMatcher(match), index),
      origin: { from: number, to: number, source },
    }
  }

  async function nextOf(): Promise<LogCursor | undefined> {
    if (count > limit) {
      const { blockHash, blockNumber, logIndex } = fromPrepared(rowOf(chunks, limit - 1))
      return { hash: blockHash, number: Number(blockNumber), index: Number(logIndex) }
    }
    if (found.to === range.to) return undefined
    const id = await resolve(found.to)
    if (!id) throw new UpstreamError(`the node does not have block ${found.to}`)
    return id
  }
}

type Rest = { chunk: LogChunk; origin: LogOrigin }

export declare namespace logsAfter {
  type Options = Omit<logsOfRange.Options, 'maxResults' | 'onOrigins'> & {
    cursor?: LogCursor | undefined
    limit: number
    /** The canonical block at a height. */
    resolve: (number: number) => Promise<BlockId | undefined>
  }
}

/** A cursor as text: the hash of its block, which contains the height, and the index of the log. */
export function cursorText({ hash, index }: LogCursor): Hash {
  return `${hash}${(index ?? WHOLE_BLOCK).toString(16).padStart(8, '0')}`
}

/** Parses the text of a cursor. @throws Error when the text is not a cursor */
export function parseCursor(text: string): LogCursor {
  if (!/^0x[0-9a-f]{72}$/.test(text)) throw new Error('expected a cursor of an earlier page')
  const index = Number.parseInt(text.slice(66), 16)
  const number = heightOfHash(text)
  if (!Number.isSafeInteger(number)) throw new Error('expected a cursor of an earlier page')
  return {
    hash: text.slice(0, 66) as Hash,
    number,
    ...(index !== WHOLE_BLOCK && { index }),
  }
}

/** The index that means "after the whole block". No block has so many logs. */
const WHOLE_BLOCK = 0xffffffff

/** Searches a range, or the longest leading part of it that one search may read. */
async function findAsFarAs(
  range: BlockRange,
  match: LogMatch,
  options: logsOfRange.Options,
): Promise<{ chunks: LogChunk[]; to: number }> {
  try {
    return { ...(await findLogs(range, match, options)), to: range.to }
  } catch (error) {
    if (!(error instanceof TooManyBlocksError)) throw error
    const { to } = error.range
    return { ...(await findLogs({ from: range.from, to }, match, options)), to }
  }
}

/** `-32000`: a reorg removed the block of a cursor or position. */
export class CursorError extends RpcError {
  override name = 'CursorError'

  constructor() {
    super(-32000, 'a reorg removed the block of this cursor: start again before it')
  }
}
