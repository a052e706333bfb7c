import { numberToHex } from 'viem/utils'

import * as schemas from '../../codec/schemas.ts'
import { defineMethod } from '../method.ts'
import { blockRef, contractAddress, optional } from '../params/params.ts'

export const eth_getBalance = defineMethod({
  params: [contractAddress, optional(blockRef, 'latest')],
  result: schemas.amount,
  summary: 'balance of an account in sun; past balances if the node keeps them',
  handler: async ({ execution }, [account, ref], call) =>
    numberToHex(await execution.balance(account, ref, call)),
})
