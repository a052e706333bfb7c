import { numberToHex } from 'viem/utils'

import * as schemas from '../../codec/schemas.ts'
import { defineMethod } from '../method.ts'

export const eth_baseFee = defineMethod({
  params: [],
  result: schemas.amount,
  summary: 'base fee of the next block: the current energy price, in sun',
  handler: async ({ chain }) => numberToHex(await chain.energyPrice()),
})
