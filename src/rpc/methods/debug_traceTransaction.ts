import { trace } from '../../codec/traceSchemas.ts'
import { defineMethod } from '../method.ts'
import { hash, named } from '../params/params.ts'
import { traceParams } from '../params/traceParam.ts'

export const debug_traceTransaction = defineMethod({
  params: [named('transactionHash', hash), traceParams],
  result: trace,
  summary:
    'trace of a transaction: of a node the calls that it recorded (callTracer); of a chain in this process also every operation, or the output of another tracer',
  handler: ({ execution }, [transaction, params], call) =>
    execution.trace(transaction, { ...params, call }),
})
