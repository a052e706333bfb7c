import * as schemas from '../codec/schemas.ts'
import { defineMethod } from '../jsonrpc/method.ts'
import { hash, named } from '../jsonrpc/params.ts'
import { receiptByHash } from '../sending/alias.ts'

export const eth_getTransactionReceipt = defineMethod({
  params: [named('transactionHash', hash)],
  result: schemas.nullable(schemas.receipt),
  summary: 'the receipt of a transaction; null while it is not in a block',
  handler: async ({ chain, request, sending }, [transaction]) =>
    (await receiptByHash(transaction, { chain, request, sending })) ?? null,
})
