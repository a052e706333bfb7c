import { defineMethod } from '../method.ts'
import { hash, named, withUnit } from '../params/params.ts'
import { blockDetails } from './otterscanBlock.ts'

export const ots_getBlockDetailsByHash = defineMethod({
  params: [withUnit(named('blockHash', hash))],
  result: { type: 'object' },
  summary:
    'a block without its transactions, with their number and fees; null for an unknown block',
  handler: (context, [{ unit, value }], call) =>
    blockDetails({ blockHash: value }, unit, context, call),
})
