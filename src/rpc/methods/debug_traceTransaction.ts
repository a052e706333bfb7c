import { callFrame } from '../../codec/callFrame.ts'
import { RpcError } from '../../lib/errors.ts'
import { defineMethod } from '../method.ts'
import { callTracerOptions } from '../params/callTracerParam.ts'
import { hash, named } from '../params/params.ts'
import { requestedFrame, traceOfTransaction } from './recordedTraces.ts'

export const debug_traceTransaction = defineMethod({
  params: [named('transactionHash', hash), callTracerOptions],
  result: callFrame,
  summary: 'the calls of a transaction (callTracer), from the internal transactions of the node',
  async handler(context, [transaction, options], call) {
    const traced = await traceOfTransaction(transaction, options.unit, context, call)
    if (!traced) throw new RpcError(-32000, 'transaction not found')
    return requestedFrame(traced.frame, options)
  },
})
