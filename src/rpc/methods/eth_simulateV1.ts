import * as schemas from '../../codec/schemas.ts'
import { defineMethod } from '../method.ts'
import { blockRef, optional } from '../params/params.ts'
import { simulation } from '../params/simulationParam.ts'
import { simulated } from './simulated.ts'

export const eth_simulateV1 = defineMethod({
  params: [simulation, optional(blockRef, 'latest')],
  result: schemas.listOf(schemas.simulatedBlock),
  summary:
    'runs calls in simulated blocks after the newest one, with state and block overrides (`--simulate`)',
  handler: (context, [{ unit, value }, ref], call) =>
    simulated(context, 'eth_simulateV1', { params: [value, 'latest'], ref, unit }, call),
})
