import { flatTrace } from '../../codec/flatTrace.ts'
import * as schemas from '../../codec/schemas.ts'
import { defineMethod } from '../method.ts'
import { hash, named } from '../params/params.ts'
import { withUnit } from '../params/withUnit.ts'
import { flatTracesOf, traceOfTransaction } from './recordedTraces.ts'

export const trace_transaction = defineMethod({
  params: [withUnit(named('transactionHash', hash))],
  result: schemas.nullable(schemas.listOf(flatTrace)),
  summary:
    'the calls of a transaction as a list, from the internal transactions of the node; null when it is not in a block',
  async handler(context, [{ unit, value }], call) {
    const traced = await traceOfTransaction(value, unit, context, call)
    return traced ? flatTracesOf(traced) : null
  },
})
