import { defineMethod } from '../jsonrpc/method.ts'
import { boolean, hash, optional } from '../jsonrpc/params.ts'

export const eth_getBlockByHash = defineMethod({
  params: [hash, optional(boolean, false)],
  summary: 'a canonical block by hash, with transaction hashes or whole transactions',
  handler: async ({ chain, request }, [blockHash, full]) =>
    (await chain.block({ blockHash }, full, request.signal)) ?? null,
})
