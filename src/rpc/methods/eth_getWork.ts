import { defineMethod, schemas } from '../method.ts'

export const eth_getWork = defineMethod({
  params: [],
  result: schemas.listOf(schemas.nullable(schemas.hash)),
  summary:
    'the newest block’s hash and two nulls, as the node answers, because the chain has no mining',
  handler: ({ chain }): [string, null, null] => [chain.latest().hash, null, null],
})
