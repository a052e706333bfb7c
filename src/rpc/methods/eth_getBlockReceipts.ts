import { defineMethod, schemas } from '../method.ts'
import { blockRef } from '../params/params.ts'

export const eth_getBlockReceipts = defineMethod({
  params: [blockRef],
  result: schemas.nullable(schemas.listOf(schemas.receipt)),
  summary: 'all receipts of a block',
  handler: async ({ chain }, [ref], call) => (await chain.receipts(ref, call)) ?? null,
})
