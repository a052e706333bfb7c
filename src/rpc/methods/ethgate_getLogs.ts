import { cursorText } from '../../chain/logs/logsAfter.ts'
import * as schemas from '../../codec/schemas.ts'
import { wireObject } from '../../lib/wire.ts'
import { defineMethod } from '../method.ts'
import { logPageParam } from '../params/logPageParam.ts'
import { toRangeQuery } from './logRange.ts'

/** Default number of logs of a page. */
const LIMIT = 1_000

export const ethgate_getLogs = defineMethod({
  params: [logPageParam],
  result: schemas.object(
    { cursor: schemas.nullable(schemas.bytes), logs: schemas.listOf(schemas.log) },
    [],
  ),
  summary: 'logs page by page: {filter, cursor, limit}; the cursor of the last page is null',
  async handler({ chain, config, request }, [{ cursor, filter, limit = LIMIT }]) {
    const { logs, next } = await chain.logPage(
      toRangeQuery(filter, chain),
      { cursor, limit: Math.min(limit, config.logsMaxResults) },
      request.signal,
    )
    return wireObject({ logs, cursor: next ? cursorText(next) : null })
  },
})
