import { defineMethod, schemas } from '../method.ts'
import { filterId } from '../params/subscriptionParam.ts'

export const eth_getFilterChanges = defineMethod({
  params: [filterId],
  result: schemas.listOf({ oneOf: [schemas.hash, schemas.log] }),
  summary: 'changes of a filter since the last poll; after a reorg removed logs come first',
  handler: ({ filters }, [id], call) => filters.changes(id, call),
})
