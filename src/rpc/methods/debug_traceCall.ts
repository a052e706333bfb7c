import { defineMethod } from '../method.ts'
import { blockRef, optional } from '../params/params.ts'
import { simulatedCall, traceOptions } from '../params/simulationParam.ts'
import { simulated } from './simulated.ts'

export const debug_traceCall = defineMethod({
  params: [simulatedCall, optional(blockRef, 'latest'), traceOptions],
  result: { type: 'object' },
  summary:
    'trace of a call with geth’s tracers, with state and block overrides (`--simulate`); `debug_traceTransaction` shows what the node recorded',
  handler: (context, [{ unit, value }, ref, options], call) =>
    simulated(context, 'debug_traceCall', { params: [value, 'latest', options], ref, unit }, call),
})
