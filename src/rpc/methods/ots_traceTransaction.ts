import { entriesOf } from '../../codec/otterscan.ts'
import { defineMethod, schemas } from '../method.ts'
import { hash, named, withUnit } from '../params/params.ts'
import { frameOf } from './otterscanBlock.ts'

export const ots_traceTransaction = defineMethod({
  params: [withUnit(named('transactionHash', hash))],
  result: schemas.listOf({ type: 'object' }),
  summary: 'the frames of a transaction with their depth',
  handler: async (context, [{ unit, value }], call) =>
    entriesOf(await frameOf(value, unit, context, call)),
})
