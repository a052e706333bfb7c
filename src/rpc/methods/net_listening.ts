import * as schemas from '../../codec/schemas.ts'
import { defineMethod } from '../method.ts'

export const net_listening = defineMethod({
  params: [],
  result: schemas.boolean,
  summary: 'whether the node has an active peer',
  async handler({ native, request: { signal } }) {
    const { activeConnectCount = 0 } = await native.wallet.getNodeInfo(undefined, { signal })
    return activeConnectCount > 0
  },
})
