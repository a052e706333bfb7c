import { defineMethod, schemas } from '../method.ts'
import { callRequest } from '../params/callParam.ts'
import { blockOverride, stateOverride } from '../params/overrides.ts'
import { blockRef, optional } from '../params/params.ts'

export const eth_call = defineMethod({
  params: [callRequest, optional(blockRef, 'latest'), stateOverride, blockOverride],
  result: schemas.bytes,
  summary:
    'executes a call or creation code without a transaction; with overrides in this process (`--simulate`)',
  handler: ({ execution }, [request, ref, accounts, block], call) =>
    execution.call(request, { accounts, block, call, ref }),
})
