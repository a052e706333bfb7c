import { defineMethod, schemas } from '../method.ts'

export const net_version = defineMethod({
  params: [],
  result: { ...schemas.text, pattern: '^[0-9]+$' },
  summary: 'the chain id in decimal, as Ethereum clients expect',
  handler: ({ chain }) => String(chain.id),
})
