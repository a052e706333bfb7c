import { numberToHex } from 'viem/utils'

import { estimateGas } from '../chain/estimate.ts'
import * as schemas from '../codec/schemas.ts'
import { callRequest, noOverrides } from '../jsonrpc/callParam.ts'
import { defineMethod } from '../jsonrpc/method.ts'
import { blockRef, optional } from '../jsonrpc/params.ts'

export const eth_estimateGas = defineMethod({
  params: [callRequest, optional(blockRef, 'latest'), noOverrides('state'), noOverrides('block')],
  result: schemas.quantity,
  summary: 'energy that a transaction needs; 21,000 for a transfer',
  async handler({ chain, native, request: { signal } }, [call, ref]) {
    const source = await chain.state(ref)
    return numberToHex(await estimateGas(call, { native, signal, source }))
  },
})
