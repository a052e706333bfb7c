import { defineMethod } from '../method.ts'
import { blockNumberOrTag, withUnit } from '../params/params.ts'
import { blockDetails } from './otterscanBlock.ts'

export const ots_getBlockDetails = defineMethod({
  params: [withUnit(blockNumberOrTag)],
  result: { type: 'object' },
  summary:
    'a block without its transactions, with their number and fees; null for an unknown block',
  handler: (context, [{ unit, value }], call) => blockDetails(value, unit, context, call),
})
