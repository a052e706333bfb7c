import { defineMethod, schemas } from '../method.ts'
import { boolean, hash, optional, named } from '../params/params.ts'

export const eth_getBlockByHash = defineMethod({
  params: [named('blockHash', hash), named('fullTransactions', optional(boolean, false))],
  result: schemas.nullable(schemas.block),
  summary: 'a canonical block by hash, with transaction hashes or whole transactions',
  handler: async ({ chain }, [blockHash, full], call) =>
    (await chain.block({ blockHash }, full, call)) ?? null,
})
