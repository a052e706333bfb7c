import { defineMethod, schemas } from '../method.ts'
import { blockRef, optional, withUnit } from '../params/params.ts'
import { simulation } from '../params/simulationParam.ts'

export const eth_simulateV1 = defineMethod({
  params: [withUnit(simulation), optional(blockRef, 'latest')],
  result: schemas.listOf(schemas.simulatedBlock),
  summary:
    'runs calls in simulated blocks after the newest one, with state and block overrides (`--simulate`)',
  handler: ({ execution }, [{ unit, value }, ref], call) =>
    execution.simulate(value, { call, ref, unit }),
})
