import { numberToHex } from 'viem/utils'

import { defineMethod } from '../jsonrpc/method.ts'

export const eth_chainId = defineMethod({
  params: [],
  summary: 'last four bytes of the genesis hash',
  handler: ({ chain }) => numberToHex(chain.id),
})
