import * as schemas from '../../codec/schemas.ts'
import { defineMethod } from '../method.ts'

export const eth_newBlockFilter = defineMethod({
  params: [],
  result: schemas.quantity,
  summary: 'creates a filter for the hashes of new blocks',
  handler: ({ filters, request }) => filters.createBlocks(request.client),
})
