import { keccak256 } from 'viem/utils'

import { defineMethod } from '../jsonrpc/method.ts'
import { bytes } from '../jsonrpc/params.ts'

export const web3_sha3 = defineMethod({
  params: [bytes],
  summary: 'keccak-256 of bytes',
  handler: (_, [data]) => keccak256(data),
})
