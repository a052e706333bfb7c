import { defineMethod } from '../jsonrpc/method.ts'
import { hash } from '../jsonrpc/params.ts'

export const eth_getTransactionReceipt = defineMethod({
  params: [hash],
  summary: 'the receipt of a transaction, null while it is in no block',
  handler: async ({ chain, request }, [transaction]) =>
    (await chain.receipt(transaction, request.signal)) ?? null,
})
