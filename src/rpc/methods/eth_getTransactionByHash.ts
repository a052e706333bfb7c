import { transactionByHash } from '../../sending/alias.ts'
import { defineMethod, schemas } from '../method.ts'
import { hash, named } from '../params/params.ts'

export const eth_getTransactionByHash = defineMethod({
  params: [named('transactionHash', hash)],
  result: schemas.nullable(schemas.transaction),
  summary: 'a mined or pending transaction by hash; block fields are null while it is pending',
  handler: async ({ chain, sending }, [transaction], call) =>
    (await transactionByHash(transaction, { chain, call, sending })) ?? null,
})
