import { defineMethod, schemas } from '../method.ts'
import { callRequest } from '../params/callParam.ts'
import { blockOverride, stateOverride } from '../params/overrides.ts'
import { blockRef, optional } from '../params/params.ts'

export const eth_createAccessList = defineMethod({
  params: [callRequest, optional(blockRef, 'latest'), stateOverride, blockOverride],
  result: schemas.accessListResult,
  summary:
    'accounts and slots that a call uses (`--simulate`); it costs the same with and without the list',
  handler: ({ execution }, [request, ref, accounts, block], call) =>
    execution.accessList(request, { accounts, block, call, ref }),
})
