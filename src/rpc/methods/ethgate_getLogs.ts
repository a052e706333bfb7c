import { cursorText } from '../../chain/logs/logsAfter.ts'
import { isComplete } from '../../chain/logs/origins.ts'
import { toQuantity } from '../../codec/quantity.ts'
import { preparedObject } from '../../lib/prepared.ts'
import { defineMethod, schemas } from '../method.ts'
import { logCursor, logRangeFilter, rowLimit } from '../params/logPageParam.ts'
import { maybe, objectParam, optional } from '../params/params.ts'
import { toRangeQuery } from './logRange.ts'

/** Default number of logs of a page. */
const LIMIT = 1_000

export const ethgate_getLogs = defineMethod({
  params: [
    objectParam('page', {
      filter: optional(logRangeFilter, { addresses: [], topics: [] }),
      cursor: maybe(logCursor),
      limit: maybe(rowLimit),
    }),
  ],
  result: schemas.object(
    {
      cursor: schemas.nullable(schemas.bytes),
      logs: schemas.listOf(schemas.log),
      complete: schemas.boolean,
      sources: schemas.listOf(
        schemas.object({
          from: schemas.quantity,
          to: schemas.quantity,
          source: { enum: ['index', 'memory', 'receipts', 'nodeSearch'] },
        }),
      ),
    },
    [],
  ),
  summary:
    'logs page by page: {filter, cursor, limit}; where they were found, and whether that is complete; the cursor of the last page is null',
  async handler({ chain, config }, [{ cursor, filter, limit = LIMIT }], call) {
    const { logs, next, origins } = await chain.logPage(
      toRangeQuery(filter),
      { cursor, limit: Math.min(limit, config.logsMaxResults) },
      call,
    )
    return preparedObject({
      logs,
      cursor: next ? cursorText(next) : null,
      complete: isComplete(origins),
      sources: origins.map(({ from, source, to }) => ({
        from: toQuantity(from),
        to: toQuantity(to),
        source,
      })),
    })
  },
})
