import { defineMethod, schemas } from '../method.ts'
import { hash, index, named } from '../params/params.ts'

export const eth_getTransactionByBlockHashAndIndex = defineMethod({
  params: [named('blockHash', hash), index],
  result: schemas.nullable(schemas.transaction),
  summary: 'a transaction by its index in a block',
  handler: async ({ chain }, [blockHash, position], call) =>
    (await chain.transactionAt({ blockHash }, position, call)) ?? null,
})
