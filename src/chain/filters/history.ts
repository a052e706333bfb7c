import { toQuantity } from '../../codec/quantity.ts'
import { LimitExceededError, RpcError } from '../../lib/errors.ts'
import type { Chain, LogMatch } from '../blocks/chainTypes.ts'

/** Codes of errors for too many rows or blocks. Only for these a shorter range helps. */
const TOO_MUCH = /^(query returned more than|query took too long|exceed max block range)/

/**
 * Logs of final blocks from a height on, as JSON texts: as many whole blocks as fit. `to` is the last block read.
 *
 * @throws LimitExceededError when a single block has more than `limit` logs, with the range for `eth_getLogs`.
 */
export async function readHistory(
  chain: Pick<Chain, 'logRows'>,
  match: LogMatch,
  { from, limit, signal, span, to }: readHistory.Options,
): Promise<{ texts: string[]; to: number }> {
  let last = Math.min(to, from + span - 1)
  for (;;) {
    const rows = await search(last)
    if (rows && rows.length <= limit)
      return { texts: rows.map(({ bytes }) => bytes.toString('latin1')), to: last }
    if (last === from) throw tooLarge(from, limit)
    last = from + Math.floor((last - from) / 2)
  }

  async function search(last: number) {
    try {
      return await chain.logRows(match, { from, to: last }, signal)
    } catch (error) {
      // Too many rows or too many blocks: try a shorter range.
      if (error instanceof RpcError && TOO_MUCH.test(error.message)) return undefined
      throw error
    }
  }
}

export declare namespace readHistory {
  type Options = {
    from: number
    to: number
    /** Maximum number of logs in total. */
    limit: number
    /** Maximum number of blocks of the search. */
    span: number
    signal?: AbortSignal | undefined
  }
}

/**
 * The error for a block with more logs than a page may have. It names the range to search instead: a page must never lack logs
 * of its blocks.
 */
export function tooLarge(number: number, limit: number): LimitExceededError {
  const block = toQuantity(number)
  return new LimitExceededError(`query returned more than ${limit} results`, {
    data: { fromBlock: block, toBlock: block },
  })
}
