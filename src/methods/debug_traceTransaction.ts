import { callFrame } from '../codec/callFrame.ts'
import { RpcError } from '../errors.ts'
import { callTracerOptions } from '../jsonrpc/callTracerParam.ts'
import { defineMethod } from '../jsonrpc/method.ts'
import { hash, named } from '../jsonrpc/params.ts'
import { requestedFrame, traceOfTransaction } from './recordedTraces.ts'

export const debug_traceTransaction = defineMethod({
  params: [named('transactionHash', hash), callTracerOptions],
  result: callFrame,
  summary: 'the calls of a transaction (callTracer), from the internal transactions of the node',
  async handler(context, [transaction, options]) {
    const traced = await traceOfTransaction(transaction, options.unit, context)
    if (!traced) throw new RpcError(-32000, 'transaction not found')
    return requestedFrame(traced.frame, options)
  },
})
