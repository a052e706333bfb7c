import { toQuantity } from '../../codec/quantity.ts'
import { defineMethod, schemas } from '../method.ts'

export const eth_chainId = defineMethod({
  params: [],
  result: schemas.quantity,
  summary: 'last four bytes of the genesis hash',
  handler: ({ chain }) => toQuantity(chain.id),
})
