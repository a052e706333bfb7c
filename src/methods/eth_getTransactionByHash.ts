import { defineMethod } from '../jsonrpc/method.ts'
import { hash } from '../jsonrpc/params.ts'

export const eth_getTransactionByHash = defineMethod({
  params: [hash],
  summary: 'a transaction in a block, or pending (null block fields)',
  handler: async ({ chain, request }, [transaction]) =>
    (await chain.transaction(transaction, request.signal)) ?? null,
})
