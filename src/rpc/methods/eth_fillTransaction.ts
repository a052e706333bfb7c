import { keccak256 } from 'viem/utils'

import * as schemas from '../../codec/schemas.ts'
import { assertChain } from '../../sending/managed.ts'
import { rpcFilled, unsignedBytes } from '../../sending/rpcFilled.ts'
import { defineMethod } from '../method.ts'
import { sendParam } from '../params/sendParam.ts'

export const eth_fillTransaction = defineMethod({
  params: [sendParam],
  result: schemas.filled,
  summary: 'fills in gas, gas price and nonce of a transaction without signing it',
  async handler({ chain, sending }, [request]) {
    assertChain(request, { chain })
    const filled = await sending.fill(request)
    const raw = unsignedBytes(filled, chain.id, request.unit)
    return { raw, tx: rpcFilled(filled, chain.id, keccak256(raw)) }
  },
})
