import type { LogCursor } from '../../chain/blocks/chainTypes.ts'
import { parseCursor } from '../../chain/logs/logsAfter.ts'
import * as schemas from '../../codec/schemas.ts'
import { type LogFilter, logFilter } from './filterParam.ts'
import { objectOf, type Param, show } from './params.ts'

/** A log filter of a range. */
export type LogRangeFilter = Exclude<LogFilter, { blockHash: unknown }>

const FILTER = ['address', 'blockHash', 'fromBlock', 'toBlock', 'topics']

/** The filter of methods that page through a range. */
export const logRangeFilter: Param<LogRangeFilter> = (input, scope) => {
  const filter = logFilter(objectOf(FILTER, input), scope)
  if ('blockHash' in filter) throw new Error('expected a range of blocks, not a blockHash')
  return filter
}
logRangeFilter.doc = { name: 'filter', schema: logFilter.doc?.schema ?? {} }

/** The end of a page of logs. */
export const logCursor: Param<LogCursor> = (input) => {
  if (typeof input !== 'string') throw new Error(`expected a cursor, got ${show(input)}`)
  return parseCursor(input)
}
logCursor.doc = { name: 'cursor', schema: schemas.nullable(schemas.bytes) }

/** A number of logs or transactions of a client. */
export const rowLimit: Param<number> = (input) => {
  const number = typeof input === 'string' ? Number(input) : input
  if (typeof number === 'number' && Number.isSafeInteger(number) && number > 0) return number
  throw new Error(`expected a number of logs, got ${show(input)}`)
}
rowLimit.doc = { name: 'limit', schema: { type: 'integer', minimum: 1 } }
