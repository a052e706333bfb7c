import { numberToHex } from 'viem/utils'

import * as schemas from '../../codec/schemas.ts'
import { HistoricalStateError } from '../../lib/errors.ts'
import { defineMethod } from '../method.ts'
import { address, blockRef, optional } from '../params/params.ts'

export const eth_getTransactionCount = defineMethod({
  params: [address, optional(blockRef, 'latest')],
  result: schemas.quantity,
  summary:
    'next nonce for this gateway, because the chain has no nonces: counts the account’s mined transactions that were sent through the gateway; `pending` also counts pending ones',
  async handler({ chain, sending }, [account, ref]) {
    if (ref === 'pending') return numberToHex(await sending.count(account, 'pending'))
    const source = await chain.state(ref)
    if (source.at === 'historic') throw new HistoricalStateError('of transaction counts')
    return numberToHex(await sending.count(account, 'mined'))
  },
})
