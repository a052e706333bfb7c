import { defineMethod } from '../method.ts'
import { callTracerOptions } from '../params/callTracerParam.ts'
import { hash, named } from '../params/params.ts'
import { blockFrames, framesOfBlock } from './recordedTraces.ts'

export const debug_traceBlockByHash = defineMethod({
  params: [named('blockHash', hash), callTracerOptions],
  result: blockFrames,
  summary:
    'the calls of all transactions of a block (callTracer), from the internal transactions of the node',
  handler: (context, [blockHash, options], call) =>
    framesOfBlock({ blockHash }, options, context, call),
})
