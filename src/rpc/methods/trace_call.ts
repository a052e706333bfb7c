import { defineMethod } from '../method.ts'
import { blockRef, optional } from '../params/params.ts'
import { simulatedCall } from '../params/simulationParam.ts'
import { traceKinds } from '../params/traceKindsParam.ts'
import { simulated } from './simulated.ts'

export const trace_call = defineMethod({
  params: [simulatedCall, traceKinds, optional(blockRef, 'latest')],
  result: { type: 'object' },
  summary:
    'the frames (trace), changes (stateDiff) and operations (vmTrace) of a call (`--simulate`), as Parity',
  handler: (context, [{ unit, value }, kinds, ref], call) =>
    simulated(context, 'trace_call', { params: [value, kinds, 'latest'], ref, unit }, call),
})
