import { flatTrace } from '../../codec/flatTrace.ts'
import { defineMethod, schemas } from '../method.ts'
import { arrayOf, index, named } from '../params/params.ts'
import { trace_transaction } from './trace_transaction.ts'

export const trace_get = defineMethod({
  params: [...trace_transaction.params, named('indices', arrayOf(index))],
  result: schemas.nullable(flatTrace),
  summary: 'one trace of a transaction, by its traceAddress',
  async handler(context, [transaction, path], call) {
    const traces = await trace_transaction.handler(context, [transaction], call)
    return traces?.find(({ traceAddress }) => traceAddress.join() === path.join()) ?? null
  },
})
