import type { Hex } from 'viem'
import { numberToHex } from 'viem/utils'

import { runCall } from '../../chain/state/call.ts'
import * as schemas from '../../codec/schemas.ts'
import { defineMethod } from '../method.ts'
import { callRequest } from '../params/callParam.ts'
import { blockRef, optional } from '../params/params.ts'
import { blockOverrides, stateOverrides } from '../params/simulationParam.ts'
import { ownUnit } from '../params/withUnit.ts'
import { simulated } from './simulated.ts'

export const eth_call = defineMethod({
  params: [callRequest, optional(blockRef, 'latest'), stateOverrides, blockOverrides, ownUnit],
  result: schemas.bytes,
  summary:
    'executes a call or creation code without a transaction; with overrides in this process (`--simulate`)',
  async handler(context, [request, ref, accounts, block, unit], call) {
    if (accounts || block) {
      const given = { ...request, value: numberToHex(unit.fromSun(request.value)) }
      const params = [given, 'latest', accounts, block]
      return simulated<Hex>(context, 'eth_call', { params, ref, unit }, call)
    }
    const { chain, native } = context
    const source = await chain.state(ref)
    const result = await runCall(request, { call, native, source })
    return result?.data ?? '0x'
  },
})
