import { numberToHex } from 'viem/utils'

import { defineMethod } from '../jsonrpc/method.ts'

export const eth_blockNumber = defineMethod({
  params: [],
  summary: 'height of the newest block',
  handler: ({ chain }) => numberToHex(chain.latest().number),
})
