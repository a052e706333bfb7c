import { defineMethod } from '../method.ts'
import { callRequest } from '../params/callParam.ts'
import { blockRef, optional } from '../params/params.ts'
import { traceKinds } from '../params/traceKindsParam.ts'
import { withUnit } from '../params/withUnit.ts'

export const trace_call = defineMethod({
  params: [withUnit(callRequest), traceKinds, optional(blockRef, 'latest')],
  result: { type: 'object' },
  summary:
    'the frames (trace), changes (stateDiff) and operations (vmTrace) of a call (`--simulate`), as Parity',
  async handler({ execution }, [{ unit, value: request }, kinds, ref], call) {
    const [replayed] = await execution.replay([{ kinds, request }], { call, ref, unit })
    return replayed
  },
})
