import { defineMethod } from '../jsonrpc/method.ts'
import { hash, index } from '../jsonrpc/params.ts'

export const eth_getTransactionByBlockHashAndIndex = defineMethod({
  params: [hash, index],
  summary: 'a transaction by its place in a block',
  handler: async ({ chain, request }, [blockHash, position]) =>
    (await chain.transactionAt({ blockHash }, position, request.signal)) ?? null,
})
