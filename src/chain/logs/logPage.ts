import type { Hash } from 'viem'

import type { BlockId } from '../../codec/blockRef.ts'
import type { RpcLog } from '../../codec/types.ts'
import { RpcError, UpstreamError } from '../../lib/errors.ts'
import { fromWire, type Wire, wireOf } from '../../lib/wire.ts'
import type { BlockRange } from '../blockRange.ts'
import type { LogCursor, LogMatch, LogPage } from '../blocks/chainTypes.ts'
import { arrayOf, type LogChunk } from '../blocks/logChunk.ts'
import { findLogs, type logsOfRange, TooManyBlocksError } from './logs.ts'

/**
 * The next logs of a range, at most `limit`. If the index does not cover the range, a page also ends after the blocks that
 * one search may read. Such a page can be short or empty without being the last one.
 *
 * @throws CursorError when a reorg removed the block of the cursor.
 */
export async function logPageOf(
  range: BlockRange,
  match: LogMatch,
  { cursor, limit, resolve, ...options }: logPageOf.Options,
): Promise<LogPage> {
  if (cursor && (await resolve(cursor.number))?.hash !== cursor.hash) throw new CursorError()
  const from = cursor ? cursor.number + (cursor.index === undefined ? 1 : 0) : range.from
  if (from > range.to) return { logs: wireOf(Buffer.from('[]')), next: undefined }
  const before = cursor?.index === undefined ? 0 : cursor.index + 1
  const { chunks, to } = await findAsFarAs({ from, to: range.to }, match, {
    ...options,
    // The search repeats the rows of the cursor’s block that were delivered before.
    maxResults: limit + before,
  })
  const skipped = before === 0 ? 0 : countBefore(chunks, cursor as LogCursor)
  const rows = chunks.flatMap((chunk) =>
    Array.from({ length: chunk.count }, (_, row) => chunk.row(row)),
  )
  const taken = rows.slice(skipped, skipped + limit)
  return { logs: joined(taken), next: await nextOf() }

  async function nextOf(): Promise<LogCursor | undefined> {
    if (rows.length > skipped + limit) {
      const { blockHash, blockNumber, logIndex } = fromWire(taken.at(-1) as Wire<RpcLog>)
      return { hash: blockHash, number: Number(blockNumber), index: Number(logIndex) }
    }
    if (to === range.to) return undefined
    const id = await resolve(to)
    if (!id) throw new UpstreamError(`the node does not have block ${to}`)
    return id
  }
}

export declare namespace logPageOf {
  type Options = Omit<logsOfRange.Options, 'maxResults'> & {
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
  return {
    hash: text.slice(0, 66) as Hash,
    number: Number.parseInt(text.slice(2, 18), 16),
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

/** Number of rows of the cursor's block up to its log. */
function countBefore(chunks: readonly LogChunk[], { index = 0, number }: LogCursor): number {
  let count = 0
  for (const chunk of chunks)
    for (let row = 0; row < chunk.count; row++) {
      if (chunk.block(row) !== number) return count
      if (Number(fromWire(chunk.row(row)).logIndex) > index) return count
      count += 1
    }
  return count
}

function joined(rows: readonly Wire<RpcLog>[]): Wire<RpcLog[]> {
  const chunk: LogChunk = {
    bytes: 0,
    count: rows.length,
    block: () => 0,
    row: (row) => rows[row] as Wire<RpcLog>,
    pieces: (count) => rows.slice(0, count).map(({ bytes }) => bytes),
  }
  return arrayOf([chunk], rows.length)
}

/** `-32000`: a reorg removed the block of a cursor. */
class CursorError extends RpcError {
  override name = 'CursorError'

  constructor() {
    super(-32000, 'a reorg removed the block of this cursor: start again before it')
  }
}
