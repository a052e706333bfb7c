import type { Hex } from 'viem'
import { numberToHex } from 'viem/utils'

import { estimateGas } from '../../chain/state/estimate.ts'
import * as schemas from '../../codec/schemas.ts'
import { defineMethod } from '../method.ts'
import { callRequest } from '../params/callParam.ts'
import { blockRef, optional } from '../params/params.ts'
import { blockOverrides, stateOverrides } from '../params/simulationParam.ts'
import { ownUnit } from '../params/withUnit.ts'
import { simulated } from './simulated.ts'

export const eth_estimateGas = defineMethod({
  params: [callRequest, optional(blockRef, 'latest'), stateOverrides, blockOverrides, ownUnit],
  result: schemas.quantity,
  summary:
    'energy that a transaction needs; 21,000 for a transfer; with overrides in this process (`--simulate`); `ethgate_feeQuote` says what it costs',
  async handler(context, [request, ref, accounts, block, unit], call) {
    if (accounts || block) {
      const given = { ...request, value: numberToHex(unit.fromSun(request.value)) }
      const params = [given, 'latest', accounts, block]
      return simulated<Hex>(context, 'eth_estimateGas', { params, ref, unit }, call)
    }
    const { chain, native } = context
    const source = await chain.state(ref)
    return numberToHex(await estimateGas(request, { call, native, source }))
  },
})
