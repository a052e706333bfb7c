import { trace } from '../../codec/traceSchemas.ts'
import { defineMethod } from '../method.ts'
import { callRequest } from '../params/callParam.ts'
import { blockRef, optional } from '../params/params.ts'
import { traceCallParams } from '../params/traceParam.ts'

export const debug_traceCall = defineMethod({
  params: [callRequest, optional(blockRef, 'latest'), traceCallParams],
  result: trace,
  summary:
    'trace of a call with geth’s tracers, with state and block overrides (`--simulate`); `debug_traceTransaction` shows what the node recorded',
  handler: ({ execution }, [request, ref, params], call) =>
    execution.traceCall(request, { ...params, call, ref }),
})
