import * as schemas from '../../codec/schemas.ts'
import { defineMethod } from '../method.ts'
import { blockRef, boolean, optional, named } from '../params/params.ts'

export const eth_getBlockByNumber = defineMethod({
  params: [blockRef, named('fullTransactions', optional(boolean, false))],
  result: schemas.nullable(schemas.block),
  summary: 'a block by number or tag, with transaction hashes or whole transactions',
  handler: async ({ chain, request }, [ref, full]) =>
    (await chain.block(ref, full, request.signal)) ?? null,
})
