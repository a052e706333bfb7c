import { runCall } from '../chain/call.ts'
import * as schemas from '../codec/schemas.ts'
import { callRequest, noOverrides } from '../jsonrpc/callParam.ts'
import { defineMethod } from '../jsonrpc/method.ts'
import { blockRef, optional } from '../jsonrpc/params.ts'

export const eth_call = defineMethod({
  params: [callRequest, optional(blockRef, 'latest'), noOverrides('state'), noOverrides('block')],
  result: schemas.bytes,
  summary: 'executes a call or creation code without a transaction; overrides are not supported',
  async handler({ chain, native, request: { signal } }, [call, ref]) {
    const result = await runCall(call, { native, signal, source: await chain.state(ref) })
    return result?.data ?? '0x'
  },
})
