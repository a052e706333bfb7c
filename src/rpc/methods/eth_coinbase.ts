import { defineMethod, schemas } from '../method.ts'

export const eth_coinbase = defineMethod({
  params: [],
  result: schemas.address,
  summary:
    'producer of the next block; of a node an error, as from one that produces none, because its HTTP API does not show the producer',
  handler: ({ execution }) => execution.coinbase(),
})
