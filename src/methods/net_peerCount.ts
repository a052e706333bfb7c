import { numberToHex } from 'viem/utils'

import { defineMethod } from '../jsonrpc/method.ts'

export const net_peerCount = defineMethod({
  params: [],
  summary: 'peers of the node',
  async handler({ native, request: { signal } }) {
    const { peerList = [] } = await native.wallet.getNodeInfo(undefined, { signal })
    return numberToHex(peerList.length)
  },
})
