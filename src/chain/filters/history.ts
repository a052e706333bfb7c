import type { Call } from '../../lib/call.ts'
import { NarrowRangeError } from '../../lib/errors.ts'
import type { Chain, LogMatch } from '../blocks/chainTypes.ts'
import { TooManyBlocksError } from '../logs/logs.ts'

/**
 * Logs of final blocks from a height on, as JSON texts: as many whole blocks as fit, but at least one. `to` is the last block
 * read.
 */
export async function readHistory(
  chain: Pick<Chain, 'logRows'>,
  match: LogMatch,
  { from, limit, call, span, to }: readHistory.Options,
): Promise<{ texts: string[]; to: number }> {
  let last = Math.min(to, from + span - 1)
  for (;;) {
    const rows = await search(last)
    if (rows && (rows.length <= limit || last === from))
      return { texts: rows.map(({ bytes }) => bytes.toString('latin1')), to: last }
    last = from + Math.floor((last - from) / 2)
  }

  async function search(last: number) {
    try {
      return await chain.logRows(match, { from, to: last }, call)
    } catch (error) {
      const isTooMuch = error instanceof NarrowRangeError || error instanceof TooManyBlocksError
      if (last > from && isTooMuch) return undefined
      throw error
    }
  }
}

export declare namespace readHistory {
  type Options = {
    from: number
    to: number
    /** Maximum number of logs, unless the first block alone has more. */
    limit: number
    /** Maximum number of blocks of the search. */
    span: number
    call?: Call | undefined
  }
}
