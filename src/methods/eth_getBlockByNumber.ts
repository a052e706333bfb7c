import { defineMethod } from '../jsonrpc/method.ts'
import { blockRef, boolean, optional } from '../jsonrpc/params.ts'

export const eth_getBlockByNumber = defineMethod({
  params: [blockRef, optional(boolean, false)],
  summary: 'a block by number or tag, with transaction hashes or whole transactions',
  handler: async ({ chain, request }, [ref, full]) =>
    (await chain.block(ref, full, request.signal)) ?? null,
})
