import type { HistoryRow } from '../../chain/blocks/chainTypes.ts'
import { cursorText } from '../../chain/logs/logsAfter.ts'
import { type Kind, KINDS } from '../../codec/accounts.ts'
import { toQuantity } from '../../codec/quantity.ts'
import { fromPrepared } from '../../lib/prepared.ts'
import { defineMethod, schemas } from '../method.ts'
import { historyParam } from '../params/historyParam.ts'

/** Default and maximum number of transactions of a page. */
const LIMIT = 25
const MOST = 1_000

const names = Object.keys(KINDS) as Kind[]

export const ethgate_getTransactions = defineMethod({
  params: [historyParam],
  result: schemas.history,
  summary:
    'a page of the transactions that concern an account, newest first: {address, kind, before or after, limit}; `older` and `newer` are the positions of the next pages, null at the end; not complete where no log index has accounts',
  async handler({ chain }, [{ limit = LIMIT, ...query }], call) {
    const { bound, order } = query
    const found = await chain.history({ ...query, limit: Math.min(limit, MOST) }, call)
    const { hasMore, isCut, searched } = found
    const rows = order === 'newest' ? found.rows : found.rows.toReversed()
    const [first, last] = [rows[0], rows.at(-1)]
    const positionOf = ({ id, index }: HistoryRow) => cursorText({ ...id, index })
    /** The position at the end of what was searched, where nothing was found beyond. */
    const edge = async (number: number) => {
      const id = isCut && searched.from <= searched.to && (await chain.resolve(number, call))
      return id ? cursorText(id) : null
    }
    /** The position of the request, for an empty page. */
    const back = async () => {
      const id = bound && (await chain.resolve(bound.number, call))
      return id
        ? cursorText({ ...id, ...(bound.index !== undefined && { index: bound.index }) })
        : null
    }
    const [newer, older] =
      order === 'newest'
        ? [
            bound ? (first ? positionOf(first) : await back()) : null,
            hasMore && last ? positionOf(last) : await edge(searched.from),
          ]
        : [
            hasMore && first ? positionOf(first) : await edge(searched.to),
            last ? positionOf(last) : await back(),
          ]
    return {
      transactions: rows.map((row) => ({
        position: positionOf(row),
        kinds: names.filter((name) => (row.kinds & KINDS[name]) !== 0),
        timestamp: toQuantity(row.timestamp),
        transaction: fromPrepared(row.transaction),
        receipt: fromPrepared(row.receipt),
      })),
      newer,
      older,
      searched: { from: toQuantity(Math.max(0, searched.from)), to: toQuantity(searched.to) },
      complete: !isCut,
    }
  },
})
