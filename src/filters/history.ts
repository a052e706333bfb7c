import type { Chain, LogMatch } from '../chain/chainTypes.ts'
import { LimitExceededError, RpcError } from '../errors.ts'

/** Errors of searches that were too wide. A shorter range helps only with these. */
const TOO_MUCH = /^(query returned more than|query took too long|exceed max block range)/

/**
 * Logs of final blocks, starting at a height, as JSON texts: as many whole blocks as fit. `to` is the last block read.
 *
 * @throws LimitExceededError when one block alone has more than `limit`, with the range to search in other ways.
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
    /** Most logs in total. */
    limit: number
    /** Most blocks of the search. */
    span: number
    signal?: AbortSignal | undefined
  }
}

/**
 * One block has more logs than a page may have. Nothing is omitted silently: the error names the range to search
 * instead.
 */
export function tooLarge(number: number, limit: number): LimitExceededError {
  const block = `0x${number.toString(16)}`
  return new LimitExceededError(`query returned more than ${limit} results`, {
    data: { fromBlock: block, toBlock: block },
  })
}
