import { defineMethod, schemas } from '../method.ts'
import { ownerOf } from '../request.ts'

export const eth_newBlockFilter = defineMethod({
  params: [],
  result: schemas.quantity,
  summary: 'creates a filter for the hashes of new blocks',
  handler: ({ filters }, _, call) => filters.createBlocks(ownerOf(call)),
})
