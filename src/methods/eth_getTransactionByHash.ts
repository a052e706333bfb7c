import * as schemas from '../codec/schemas.ts'
import { defineMethod } from '../jsonrpc/method.ts'
import { hash, named } from '../jsonrpc/params.ts'
import { transactionByHash } from '../sending/alias.ts'

export const eth_getTransactionByHash = defineMethod({
  params: [named('transactionHash', hash)],
  result: schemas.nullable(schemas.transaction),
  summary: 'a mined or pending transaction by hash; block fields are null while it is pending',
  handler: async ({ chain, request, sending }, [transaction]) =>
    (await transactionByHash(transaction, { chain, request, sending })) ?? null,
})
