import { keccak256 } from 'viem/utils'

import * as schemas from '../codec/schemas.ts'
import { defineMethod } from '../jsonrpc/method.ts'
import { sendParam } from '../jsonrpc/sendParam.ts'
import { assertChain } from '../sending/managed.ts'
import { rpcFilled, unsignedBytes } from '../sending/rpcFilled.ts'
import { unsignedInWei } from '../wei/scale.ts'

export const eth_fillTransaction = defineMethod({
  params: [sendParam],
  result: schemas.object({ raw: schemas.bytes, tx: { type: 'object' } }),
  summary: 'fills in gas, gas price and nonce of a transaction; unsigned',
  async handler({ chain, coin, sending }, [request]) {
    assertChain(request, { chain })
    const filled = await sending.fill(request)
    const raw = coin === 'wei' ? unsignedInWei(filled, chain.id) : unsignedBytes(filled, chain.id)
    return { raw, tx: rpcFilled(filled, chain.id, keccak256(raw)) }
  },
})
