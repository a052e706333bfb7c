import * as schemas from '../../codec/schemas.ts'
import { defineMethod } from '../method.ts'

export const eth_accounts = defineMethod({
  params: [],
  result: schemas.listOf(schemas.address),
  summary: 'the accounts whose keys the gateway holds; none by default',
  handler: ({ sending }) => sending.accounts,
})
