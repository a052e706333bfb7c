import { toQuantity } from '../../codec/quantity.ts'
import { defineMethod, schemas } from '../method.ts'

export const eth_maxPriorityFeePerGas = defineMethod({
  params: [],
  result: schemas.amount,
  summary:
    'tip of transactions that name none: 0, because the chain has no tips; 1 gwei on a development chain whose base fee changes',
  handler: async ({ execution }) => toQuantity(await execution.tip()),
})
