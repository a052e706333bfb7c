import { toQuantity } from '../../codec/quantity.ts'
import { defineMethod, schemas } from '../method.ts'

export const eth_baseFee = defineMethod({
  params: [],
  result: schemas.amount,
  summary: 'base fee of the next block: the current energy price, in sun',
  handler: async ({ chain }) => toQuantity(await chain.energyPrice()),
})
