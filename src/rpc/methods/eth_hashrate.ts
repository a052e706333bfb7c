import { defineMethod, schemas } from '../method.ts'

export const eth_hashrate = defineMethod({
  params: [],
  result: schemas.quantity,
  kind: 'fixed',
  summary: 'the chain has no mining: producers take turns',
  handler: () => '0x0' as const,
})
