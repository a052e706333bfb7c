import { numberToHex } from 'viem/utils'

import * as schemas from '../../codec/schemas.ts'
import { defineMethod } from '../method.ts'

export const net_peerCount = defineMethod({
  params: [],
  result: schemas.quantity,
  summary: 'number of peers of the node',
  async handler({ native }, _, call) {
    const { peerList = [] } = await native.wallet.getNodeInfo(undefined, call)
    return numberToHex(peerList.length)
  },
})
