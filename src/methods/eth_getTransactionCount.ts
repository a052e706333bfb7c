import type { Hex } from 'viem'

import { defineMethod } from '../jsonrpc/method.ts'
import { address, blockRef, optional } from '../jsonrpc/params.ts'

export const eth_getTransactionCount = defineMethod({
  params: [address, optional(blockRef, 'latest')],
  summary: 'accounts have no nonce: zero for every account',
  handler: (): Hex => '0x0',
})
