import type { LogCursor } from '../../chain/blocks/chainTypes.ts'
import { parseCursor } from '../../chain/logs/logsAfter.ts'
import * as schemas from '../../codec/schemas.ts'
import { type LogFilter, logFilter } from './filterParam.ts'
import { maybe, member, objectOf, type Param, show } from './params.ts'

/** A log filter of a range. */
export type LogRangeFilter = Exclude<LogFilter, { blockHash: unknown }>

/** The page of logs that a client requests. */
type LogPageRequest = {
  filter: LogRangeFilter
  /** The end of the previous page. */
  cursor?: LogCursor
  limit?: number
}

const FILTER = ['address', 'blockHash', 'fromBlock', 'toBlock', 'topics']

/** The filter of methods that page through a range. */
export const logRangeFilter: Param<LogRangeFilter> = (input, scope) => {
  const filter = logFilter(objectOf(FILTER, input), scope)
  if ('blockHash' in filter) throw new Error('expected a range of blocks, not a blockHash')
  return filter
}
logRangeFilter.doc = { name: 'filter', schema: logFilter.doc?.schema ?? {} }

/** The parameter of `ethgate_getLogs`. */
export const logPageParam: Param<LogPageRequest> = (input, scope) => {
  const page = objectOf(['filter', 'cursor', 'limit'], input)
  const filter = member(page, 'filter', (value) => logRangeFilter(value ?? {}, scope))
  const cursor = member(page, 'cursor', maybe(cursorOf))
  const limit = member(page, 'limit', maybe(limitOf))
  return { filter, ...(cursor && { cursor }), ...(limit !== undefined && { limit }) }
}
logPageParam.doc = {
  name: 'page',
  schema: schemas.object(
    {
      filter: logFilter.doc?.schema ?? {},
      cursor: schemas.nullable(schemas.bytes),
      limit: { type: 'integer', minimum: 1 },
    },
    ['filter', 'cursor', 'limit'],
  ),
}

function cursorOf(input: unknown): LogCursor {
  if (typeof input !== 'string') throw new Error(`expected a cursor, got ${show(input)}`)
  return parseCursor(input)
}

/** A number of logs of a client. */
export function limitOf(input: unknown): number {
  const number = typeof input === 'string' ? Number(input) : input
  if (typeof number === 'number' && Number.isSafeInteger(number) && number > 0) return number
  throw new Error(`expected a number of logs, got ${show(input)}`)
}
