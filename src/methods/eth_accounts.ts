import { defineMethod } from '../jsonrpc/method.ts'

export const eth_accounts = defineMethod({
  params: [],
  summary: 'the accounts whose keys the gateway holds; none by default',
  handler: ({ sending }) => sending.accounts,
})
