import { blockTraces } from '../../codec/traceSchemas.ts'
import { defineMethod } from '../method.ts'
import { hash, named } from '../params/params.ts'
import { traceParams } from '../params/traceParam.ts'

export const debug_traceBlockByHash = defineMethod({
  params: [named('blockHash', hash), traceParams],
  result: blockTraces,
  summary: 'debug_traceTransaction for all transactions of a block',
  handler: ({ execution }, [blockHash, params], call) =>
    execution.traceBlock({ blockHash }, { ...params, call }),
})
