import { operationsOf } from '../../codec/otterscan.ts'
import { defineMethod, schemas } from '../method.ts'
import { hash, named, withUnit } from '../params/params.ts'
import { frameOf } from './otterscanBlock.ts'

export const ots_getInternalOperations = defineMethod({
  params: [withUnit(named('transactionHash', hash))],
  result: schemas.listOf({ type: 'object' }),
  summary: 'transfers, creations and destructions inside a transaction',
  handler: async (context, [{ unit, value }], call) =>
    operationsOf(await frameOf(value, unit, context, call)),
})
