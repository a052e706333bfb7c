import { toQuantity } from '../../codec/quantity.ts'
import { defineMethod, schemas } from '../method.ts'

export const eth_blockNumber = defineMethod({
  params: [],
  result: schemas.quantity,
  summary: 'height of the newest block',
  handler: ({ chain }) => toQuantity(chain.latest().number),
})
