import { callTracerOptions } from '../jsonrpc/callTracerParam.ts'
import { defineMethod } from '../jsonrpc/method.ts'
import { blockNumberOrTag } from '../jsonrpc/params.ts'
import { blockFrames, framesOfBlock } from './recordedTraces.ts'

export const debug_traceBlockByNumber = defineMethod({
  params: [blockNumberOrTag, callTracerOptions],
  result: blockFrames,
  summary:
    'the calls of all transactions of a block (callTracer), from the internal transactions of the node',
  handler: (context, [number, options]) => framesOfBlock(number, options, context),
})
