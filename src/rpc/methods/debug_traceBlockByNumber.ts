import { blockTraces } from '../../codec/traceSchemas.ts'
import { defineMethod } from '../method.ts'
import { blockNumberOrTag } from '../params/params.ts'
import { traceParams } from '../params/traceParam.ts'

export const debug_traceBlockByNumber = defineMethod({
  params: [blockNumberOrTag, traceParams],
  result: blockTraces,
  summary: 'debug_traceTransaction for all transactions of a block',
  handler: ({ execution }, [number, params], call) =>
    execution.traceBlock(number, { ...params, call }),
})
