import * as schemas from '../../codec/schemas.ts'
import { defineMethod } from '../method.ts'

export const net_listening = defineMethod({
  params: [],
  result: schemas.boolean,
  summary: 'whether the node has an active peer',
  async handler({ native }, _, call) {
    const { activeConnectCount = 0 } = await native.wallet.getNodeInfo(undefined, call)
    return activeConnectCount > 0
  },
})
