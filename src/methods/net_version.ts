import { defineMethod } from '../jsonrpc/method.ts'

export const net_version = defineMethod({
  params: [],
  summary: 'the chain id in decimal, as Ethereum clients expect it',
  handler: ({ chain }) => String(chain.id),
})
