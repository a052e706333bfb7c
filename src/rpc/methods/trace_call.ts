import { defineMethod } from '../method.ts'
import { callRequest } from '../params/callParam.ts'
import { blockOverride, stateOverride } from '../params/overrides.ts'
import { blockRef, optional, withUnit } from '../params/params.ts'
import { traceKinds } from '../params/replayParam.ts'

export const trace_call = defineMethod({
  params: [
    withUnit(callRequest),
    traceKinds,
    optional(blockRef, 'latest'),
    stateOverride,
    blockOverride,
  ],
  result: { type: 'object' },
  summary:
    'the frames (trace), changes (stateDiff) and operations (vmTrace) of a call (`--simulate`), as Parity, with reth’s overrides',
  async handler({ execution }, [{ unit, value: request }, kinds, ref, accounts, block], call) {
    const asked = { accounts, block, call, ref, unit }
    const [replayed] = await execution.replay([{ kinds, request }], asked)
    return replayed
  },
})
