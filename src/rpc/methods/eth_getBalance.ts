import { numberToHex } from 'viem/utils'

import { balanceAt } from '../../chain/state/balance.ts'
import * as schemas from '../../codec/schemas.ts'
import { defineMethod } from '../method.ts'
import { blockRef, contractAddress, optional } from '../params/params.ts'

export const eth_getBalance = defineMethod({
  params: [contractAddress, optional(blockRef, 'latest')],
  result: schemas.amount,
  summary: 'balance of an account in sun; past balances if the node keeps them',
  async handler({ chain, native }, [account, ref], call) {
    const source = await chain.state(ref)
    return numberToHex(await balanceAt(account, { native, call, source }))
  },
})
