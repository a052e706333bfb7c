import { toQuantity } from '../../codec/quantity.ts'
import { defineMethod, schemas } from '../method.ts'
import { address, blockRef, optional } from '../params/params.ts'

export const eth_getTransactionCount = defineMethod({
  params: [address, optional(blockRef, 'latest')],
  result: schemas.quantity,
  summary:
    'next nonce for this gateway, because the nodes of the chain have no nonces: counts the account’s mined transactions that were sent through the gateway; `pending` also counts pending ones',
  handler: async ({ execution }, [account, ref], call) =>
    toQuantity(await execution.nonce(account, ref, call)),
})
