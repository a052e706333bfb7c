import { numberToHex } from 'viem/utils'

import { defineMethod } from '../jsonrpc/method.ts'

export const eth_gasPrice = defineMethod({
  params: [],
  summary: 'sun that one unit of energy costs now',
  handler: async ({ chain }) => numberToHex(await chain.energyPrice()),
})
