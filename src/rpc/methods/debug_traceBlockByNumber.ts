import { defineMethod } from '../method.ts'
import { callTracerOptions } from '../params/callTracerParam.ts'
import { blockNumberOrTag } from '../params/params.ts'
import { blockFrames, framesOfBlock } from './recordedTraces.ts'

export const debug_traceBlockByNumber = defineMethod({
  params: [blockNumberOrTag, callTracerOptions],
  result: blockFrames,
  summary:
    'the calls of all transactions of a block (callTracer), from the internal transactions of the node',
  handler: (context, [number, options], call) => framesOfBlock(number, options, context, call),
})
