import { toQuantity } from '../../codec/quantity.ts'
import { defineMethod, schemas } from '../method.ts'

export const net_peerCount = defineMethod({
  params: [],
  result: schemas.quantity,
  summary: 'number of peers of the node',
  async handler({ native }, _, call) {
    const { peerList = [] } = await native.wallet.getNodeInfo(undefined, call)
    return toQuantity(peerList.length)
  },
})
