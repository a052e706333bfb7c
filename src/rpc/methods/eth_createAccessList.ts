import * as schemas from '../../codec/schemas.ts'
import { defineMethod } from '../method.ts'
import { blockRef, optional } from '../params/params.ts'
import { blockOverrides, simulatedCall, stateOverrides } from '../params/simulationParam.ts'
import { simulated } from './simulated.ts'

export const eth_createAccessList = defineMethod({
  params: [simulatedCall, optional(blockRef, 'latest'), stateOverrides, blockOverrides],
  result: schemas.accessListResult,
  summary:
    'accounts and slots that a call uses (`--simulate`); it costs the same with and without the list',
  handler: (context, [{ unit, value }, ref, accounts, block], call) => {
    const params = [value, 'latest', accounts, block]
    return simulated(context, 'eth_createAccessList', { params, ref, unit }, call)
  },
})
