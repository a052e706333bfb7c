import { defineMethod, schemas } from '../method.ts'
import { callRequest } from '../params/callParam.ts'
import { blockOverride, stateOverride } from '../params/overrides.ts'
import { blockRef, optional } from '../params/params.ts'

export const eth_estimateGas = defineMethod({
  params: [callRequest, optional(blockRef, 'pending'), stateOverride, blockOverride],
  result: schemas.quantity,
  summary:
    'energy that a transaction needs; 21,000 for a transfer; with overrides in this process (`--simulate`); `ethgate_feeQuote` says what it costs',
  handler: ({ execution }, [request, ref, accounts, block], call) =>
    execution.estimate(request, { accounts, block, call, ref }),
})
