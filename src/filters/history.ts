import type { Chain, LogMatch } from '../chain/chainTypes.ts'
import type { RpcLog } from '../codec/types.ts'
import { LimitExceededError, RpcError } from '../errors.ts'
import { fromWire } from '../lib/wire.ts'

/** Blocks of one search in final history: a fifth of what a client may ask at once. */
const SPAN = 1_000

/** What a search says that was too wide; other refusals are not mended by a shorter range. */
const TOO_MUCH = /^(query returned more than|exceed max block range)/

/**
 * The logs of final blocks from a height on, as many whole blocks as fit. `to` says how far they go.
 *
 * @throws LimitExceededError when one block alone has more than `limit`, with the range to search in other ways.
 */
export async function readHistory(
  chain: Pick<Chain, 'logs'>,
  match: LogMatch,
  { from, limit, signal, to }: readHistory.Options,
): Promise<{ logs: RpcLog[]; to: number }> {
  let last = Math.min(to, from + SPAN - 1)
  for (;;) {
    const logs = await search(last)
    if (logs && logs.length <= limit) return { logs, to: last }
    if (last === from) throw tooLarge(from, limit)
    last = from + Math.floor((last - from) / 2)
  }

  async function search(last: number): Promise<RpcLog[] | undefined> {
    try {
      const { addresses, topics } = match
      return fromWire(
        await chain.logs({ addresses, topics, fromBlock: from, toBlock: last }, signal),
      )
    } catch (error) {
      // Too many rows or too many blocks: a shorter range will do.
      if (error instanceof RpcError && TOO_MUCH.test(error.message)) return undefined
      throw error
    }
  }
}

export declare namespace readHistory {
  type Options = { from: number; to: number; limit: number; signal?: AbortSignal | undefined }
}

/** A page that cannot be cut at a block: nothing is left out silently, the caller is told what to search. */
export function tooLarge(number: number, limit: number): LimitExceededError {
  const block = `0x${number.toString(16)}`
  return new LimitExceededError(`query returned more than ${limit} results`, {
    data: { fromBlock: block, toBlock: block },
  })
}
