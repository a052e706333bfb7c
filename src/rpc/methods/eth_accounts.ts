import { defineMethod, schemas } from '../method.ts'

export const eth_accounts = defineMethod({
  params: [],
  result: schemas.listOf(schemas.address),
  summary: 'the accounts whose keys the gateway holds and the caller may use; none by default',
  handler: ({ sending }, _, call) =>
    sending.keys.accounts.filter((account) => call.caller?.spender?.mayUse(account) ?? true),
})
