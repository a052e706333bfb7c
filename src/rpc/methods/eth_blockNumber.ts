import { toQuantity } from '../../codec/quantity.ts'
import * as schemas from '../../codec/schemas.ts'
import { defineMethod } from '../method.ts'

export const eth_blockNumber = defineMethod({
  params: [],
  result: schemas.quantity,
  summary: 'height of the newest block',
  handler: ({ chain }) => toQuantity(chain.latest().number),
})
