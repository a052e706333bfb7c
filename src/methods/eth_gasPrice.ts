import { numberToHex } from 'viem/utils'

import * as schemas from '../codec/schemas.ts'
import { defineMethod } from '../jsonrpc/method.ts'

export const eth_gasPrice = defineMethod({
  params: [],
  result: schemas.amount,
  summary: 'sun that one unit of energy costs now',
  handler: async ({ chain }) => numberToHex(await chain.energyPrice()),
})
