import { defineMethod, schemas } from '../method.ts'
import { ownerOf } from '../request.ts'

export const eth_newPendingTransactionFilter = defineMethod({
  params: [],
  result: schemas.quantity,
  summary: 'creates a filter for the hashes of pending transactions',
  fullOnly: true,
  handler: ({ filters }, _, call) => filters.createPending(ownerOf(call)),
})
