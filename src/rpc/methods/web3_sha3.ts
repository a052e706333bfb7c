import { keccak_256 } from '@noble/hashes/sha3.js'
import type { Hex } from 'viem'

import { defineMethod, schemas } from '../method.ts'
import { bytes, named } from '../params/params.ts'

export const web3_sha3 = defineMethod({
  params: [named('data', bytes)],
  result: schemas.hash,
  summary: 'keccak-256 of bytes',
  handler: (_, [data]): Hex =>
    `0x${Buffer.from(keccak_256(Buffer.from(data.slice(2), 'hex'))).toString('hex')}`,
})
