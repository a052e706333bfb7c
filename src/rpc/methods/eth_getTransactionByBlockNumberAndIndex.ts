import { defineMethod, schemas } from '../method.ts'
import { blockRef, index } from '../params/params.ts'

export const eth_getTransactionByBlockNumberAndIndex = defineMethod({
  params: [blockRef, index],
  result: schemas.nullable(schemas.transaction),
  summary: 'a transaction by its index in a block',
  handler: async ({ chain }, [ref, position], call) =>
    (await chain.transactionAt(ref, position, call)) ?? null,
})
