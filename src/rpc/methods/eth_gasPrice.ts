import { toQuantity } from '../../codec/quantity.ts'
import { defineMethod, schemas } from '../method.ts'

export const eth_gasPrice = defineMethod({
  params: [],
  result: schemas.amount,
  summary:
    'current price of one unit of energy, in sun; on a development chain with the tip of eth_maxPriorityFeePerGas',
  handler: async ({ execution }) => toQuantity(await execution.gasPrice()),
})
