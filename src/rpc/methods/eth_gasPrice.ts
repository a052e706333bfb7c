import { numberToHex } from 'viem/utils'

import * as schemas from '../../codec/schemas.ts'
import { defineMethod } from '../method.ts'

export const eth_gasPrice = defineMethod({
  params: [],
  result: schemas.amount,
  summary:
    'current price of one unit of energy, in sun; on a development chain with the tip of eth_maxPriorityFeePerGas',
  handler: async ({ execution }) => numberToHex(await execution.gasPrice()),
})
