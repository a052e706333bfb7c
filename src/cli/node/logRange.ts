import type { RpcLog } from '../../codec/types.ts'
import { CommandError } from '../base/errors.ts'
import { get, isRecord, scalar } from '../base/json.ts'
import { withRetry } from '../base/retry.ts'
import { type Rpc, RpcFailure } from '../base/rpcClient.ts'

/** The filter of `eth_getLogs` without the range. */
export type LogFilter = { address?: readonly string[]; topics?: readonly unknown[] }

/** All logs of a range of blocks. */
export type LogPage = { from: number; to: number; logs: RpcLog[] }

/**
 * Reads logs range by range, in order and without gaps, with several requests in flight. The range of a request adapts:
 * it shrinks to what the server says it allows (`exceed max block range: N`, `query returned more than N results`, a
 * suggested range), and grows while answers are small.
 *
 * @throws RpcFailure, CommandError when a request fails for good
 */
export async function* readLogs(options: readLogs.Options): AsyncGenerator<LogPage> {
  const { rpc, filter, concurrency, retries, signal, onRequest, onRetry } = options
  const width = createWidth()
  const queue: Piece[] = options.from > options.to ? [] : [{ from: options.from, to: options.to }]
  try {
    for (;;) {
      start()
      const piece = queue.shift()
      if (!piece?.outcome) return
      const outcome = await piece.outcome
      if ('logs' in outcome) yield { from: piece.from, to: piece.to, logs: outcome.logs }
      else {
        const end = piece.from + outcome.fits - 1
        queue.unshift({ from: piece.from, to: end }, { from: end + 1, to: piece.to })
      }
    }
  } finally {
    await Promise.allSettled(queue.flatMap(({ outcome }) => outcome ?? []))
  }

  /** Splits off the next ranges with the current width and requests them. */
  function start(): void {
    for (let index = 0; index < Math.min(concurrency, queue.length); index += 1) {
      const piece = queue[index] as Piece
      if (piece.outcome) continue
      const end = piece.from + width.now() - 1
      if (end < piece.to) {
        queue.splice(index + 1, 0, { from: end + 1, to: piece.to })
        piece.to = end
      }
      piece.outcome = read(piece.from, piece.to)
      // It is awaited later, in order. This avoids an unhandled rejection until then.
      piece.outcome.catch(() => {})
    }
  }

  async function read(from: number, to: number): Promise<Outcome> {
    signal?.throwIfAborted()
    const query = { ...filter, fromBlock: hex(from), toBlock: hex(to) }
    try {
      const logs = await withRetry(() => rpc.call('eth_getLogs', [query], signal), {
        retries,
        ...(signal && { signal }),
        ...(onRetry && { onRetry }),
      })
      onRequest?.()
      if (!Array.isArray(logs)) throw new CommandError('eth_getLogs: the answer is not a list')
      width.grow(to - from + 1, logs.length)
      return { logs: logs as RpcLog[] }
    } catch (error) {
      const limit = error instanceof RpcFailure ? limitOf(error, from, to) : undefined
      if (limit === undefined) throw error
      onRequest?.()
      if (from === to)
        throw new CommandError(
          `block ${from} alone has more logs than the server returns (${(error as RpcFailure).rpcMessage}); narrow the search with --address or --topic, or raise the server’s limit`,
          { cause: error },
        )
      width.shrink(limit.width, limit.isFixed)
      return { fits: limit.width }
    }
  }
}

/** A range of blocks, and its result once it was requested. */
type Piece = { from: number; to: number; outcome?: Promise<Outcome> }

/** Logs, or the number of blocks that the server would accept. */
type Outcome = { logs: RpcLog[] } | { fits: number }

export declare namespace readLogs {
  type Options = {
    rpc: Rpc
    filter: LogFilter
    /** First and last block. */
    from: number
    to: number
    /** Requests in flight. */
    concurrency: number
    retries: number
    signal?: AbortSignal
    onRequest?: () => void
    onRetry?: (error: CommandError, delay: number) => void
  }
}

/** Blocks of the first request. */
const FIRST_WIDTH = 500
/** Target number of logs of a request: half of the 10,000 that nodes allow. */
const GOOD_ROWS = 5_000

/** The number of blocks of the next request. It follows the number of logs in the answers. */
function createWidth() {
  let width = FIRST_WIDTH
  let most = Number.MAX_SAFE_INTEGER
  return {
    now: () => width,
    grow(blocks: number, rows: number) {
      if (blocks < width) return
      const fits = rows === 0 ? blocks * 2 : Math.floor((blocks * GOOD_ROWS) / rows)
      width = Math.max(1, Math.min(most, blocks * 2, fits))
    },
    shrink(to: number, isFixed: boolean) {
      width = Math.max(1, Math.min(width, to))
      if (isFixed) most = Math.min(most, width)
    },
  }
}

/**
 * The number of blocks that the server would accept, if an error says that a range has too many blocks or logs; undefined for
 * any other error. `isFixed`: the limit counts blocks, so it is the same for every range.
 */
function limitOf(
  error: RpcFailure,
  from: number,
  last: number,
): { width: number; isFixed: boolean } | undefined {
  const message = error.rpcMessage
  const blocks = last - from + 1
  const range =
    /(?:exceed(?:ed|s)? max(?:imum)? block range|block range (?:is )?(?:limited|too large|too wide)|max(?:imum)? (?:block )?range)\D*(\d+)?/i.exec(
      message,
    )
  const results =
    /(?:returned|exceeds?|limit of|more than)\D*\d*[^.]*(?:results|logs)|response size|too many (?:results|logs)/i.test(
      message,
    )
  if (!range && !results) return undefined
  const half = Math.max(1, Math.floor(blocks / 2))
  const suggested = suggestedEnd(error, from)
  if (suggested !== undefined && suggested >= from && suggested < last)
    return { width: suggested - from + 1, isFixed: range !== null }
  const allowed = Number(range?.[1] ?? 0)
  return allowed > 0 && allowed < blocks
    ? { width: allowed, isFixed: true }
    : { width: half, isFixed: range !== null }
}

/** The last block of the range that a server proposes, in `error.data` or in the text (`[0x…, 0x…]`). */
function suggestedEnd(error: RpcFailure, from: number): number | undefined {
  const text = /\[\s*(0x[0-9a-f]+)\s*,\s*(0x[0-9a-f]+)\s*\]/i.exec(error.rpcMessage)
  if (text) return Number(text[1]) === from ? Number(text[2]) : undefined
  return findEnd(error.data, from)
}

function findEnd(data: unknown, from: number): number | undefined {
  if (!isRecord(data)) return undefined
  const start = number(get(data, 'fromBlock') ?? get(data, 'from'))
  const end = number(get(data, 'toBlock') ?? get(data, 'to'))
  if (end !== undefined && (start === undefined || start === from)) return end
  return Object.values(data)
    .map((member) => findEnd(member, from))
    .find((found) => found !== undefined)
}

function number(value: unknown): number | undefined {
  const text = scalar(value)
  return text !== undefined && /^(0x[0-9a-f]+|\d+)$/i.test(text) ? Number(text) : undefined
}

function hex(number: number): string {
  return `0x${number.toString(16)}`
}
