import { keccak256 } from 'viem/utils'

import * as schemas from '../codec/schemas.ts'
import { defineMethod } from '../jsonrpc/method.ts'
import { bytes, named } from '../jsonrpc/params.ts'

export const web3_sha3 = defineMethod({
  params: [named('data', bytes)],
  result: schemas.hash,
  summary: 'keccak-256 of bytes',
  handler: (_, [data]) => keccak256(data),
})
