import { defineMethod, schemas } from '../method.ts'
import { blockRef, optional, withUnit } from '../params/params.ts'
import { replayedCalls } from '../params/replayParam.ts'

export const trace_callMany = defineMethod({
  params: [withUnit(replayedCalls), optional(blockRef, 'latest')],
  result: schemas.listOf({ type: 'object' }),
  summary:
    'trace_call for a list of [call, traceTypes]; each call runs on the state after the previous one (`--simulate`)',
  handler: ({ execution }, [{ unit, value }, ref], call) =>
    execution.replay(value, { accounts: [], block: {}, call, ref, unit }),
})
