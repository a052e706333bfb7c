import * as schemas from '../../codec/schemas.ts'
import type { TraceSelection } from '../../codec/traceSelection.ts'
import { isObject } from '../../lib/isObject.ts'
import {
  address,
  arrayOf,
  blockNumberOrTag,
  index,
  maybe,
  member,
  type ParamScope,
  PLAIN,
  show,
} from './params.ts'

/** Largest range of one `trace_filter`. Anvil has the same limit. */
export const MAX_TRACED_BLOCKS = 300

/** The filter object of `trace_filter`. An open range begins at the first block and ends at the newest. */
export function traceFilter(input: unknown, { unit }: ParamScope = PLAIN) {
  if (!isObject(input)) throw new Error(`expected a filter object, got ${show(input)}`)
  const addresses = (name: string) => member(input, name, maybe(arrayOf(address))) ?? []
  const mode = (input['mode'] ?? 'union') as TraceSelection['mode']
  if (mode !== 'union' && mode !== 'intersection')
    throw new Error(`mode: expected "union" or "intersection", got ${show(mode)}`)
  return {
    fromBlock: member(input, 'fromBlock', maybe(blockNumberOrTag)) ?? 0,
    toBlock: member(input, 'toBlock', maybe(blockNumberOrTag)) ?? 'latest',
    fromAddresses: addresses('fromAddress'),
    toAddresses: addresses('toAddress'),
    mode,
    // Number of traces to skip, and maximum number of traces to return.
    after: member(input, 'after', maybe(index)) ?? 0,
    count: member(input, 'count', maybe(index)) ?? Number.POSITIVE_INFINITY,
    // Of the amounts in the answer.
    unit,
  }
}
traceFilter.doc = {
  name: 'filter',
  schema: {
    title: 'trace filter',
    type: 'object',
    properties: {
      fromBlock: blockNumberOrTag.doc?.schema ?? {},
      toBlock: blockNumberOrTag.doc?.schema ?? {},
      fromAddress: schemas.listOf(schemas.address),
      toAddress: schemas.listOf(schemas.address),
      mode: { enum: ['union', 'intersection'] },
      after: schemas.quantity,
      count: schemas.quantity,
    },
  },
  description: `a range of at most ${MAX_TRACED_BLOCKS} blocks, senders, receivers (union: one of both suffices), after and count for pages`,
}
