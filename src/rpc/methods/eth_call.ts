import { runCall } from '../../chain/state/call.ts'
import * as schemas from '../../codec/schemas.ts'
import { defineMethod } from '../method.ts'
import { callRequest, noOverrides } from '../params/callParam.ts'
import { blockRef, optional } from '../params/params.ts'

export const eth_call = defineMethod({
  params: [callRequest, optional(blockRef, 'latest'), noOverrides('state'), noOverrides('block')],
  result: schemas.bytes,
  summary: 'executes a call or creation code without a transaction; overrides are not supported',
  async handler({ chain, native, request: { signal } }, [call, ref]) {
    const result = await runCall(call, { native, signal, source: await chain.state(ref) })
    return result?.data ?? '0x'
  },
})
