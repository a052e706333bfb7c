import { toQuantity } from '../../codec/quantity.ts'
import { defineMethod, schemas } from '../method.ts'
import { blockRef, contractAddress, optional } from '../params/params.ts'

export const eth_getBalance = defineMethod({
  params: [contractAddress, optional(blockRef, 'latest')],
  result: schemas.amount,
  summary: 'balance of an account in sun; past balances if the node keeps them',
  handler: async ({ execution }, [account, ref], call) =>
    toQuantity(await execution.balance(account, ref, call)),
})
