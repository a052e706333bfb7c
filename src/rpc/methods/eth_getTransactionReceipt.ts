import { receiptByHash } from '../../sending/alias.ts'
import { defineMethod, schemas } from '../method.ts'
import { hash, named } from '../params/params.ts'

export const eth_getTransactionReceipt = defineMethod({
  params: [named('transactionHash', hash)],
  result: schemas.nullable(schemas.receipt),
  summary: 'the receipt of a transaction; null while it is not in a block',
  handler: async ({ chain, sending }, [transaction], call) =>
    (await receiptByHash(transaction, { chain, call, sending })) ?? null,
})
