import { numberToHex } from 'viem/utils'

import { estimateGas } from '../../chain/state/estimate.ts'
import * as schemas from '../../codec/schemas.ts'
import { defineMethod } from '../method.ts'
import { callRequest, noOverrides } from '../params/callParam.ts'
import { blockRef, optional } from '../params/params.ts'

export const eth_estimateGas = defineMethod({
  params: [callRequest, optional(blockRef, 'latest'), noOverrides('state'), noOverrides('block')],
  result: schemas.quantity,
  summary: 'energy that a transaction needs; 21,000 for a transfer',
  async handler({ chain, native, request: { signal } }, [call, ref]) {
    const source = await chain.state(ref)
    return numberToHex(await estimateGas(call, { native, signal, source }))
  },
})
