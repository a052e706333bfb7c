import { toQuantity } from '../../codec/quantity.ts'
import { defineMethod, schemas } from '../method.ts'

/** A slot is 3 s. Ten missed slots are unusual on a running chain. */
const FRESH_MS = 30_000
const SLOT_MS = 3_000

export const eth_syncing = defineMethod({
  params: [],
  result: {
    oneOf: [
      { const: false },
      schemas.object({
        startingBlock: schemas.quantity,
        currentBlock: schemas.quantity,
        highestBlock: schemas.quantity,
      }),
    ],
  },
  summary: 'false at the head, otherwise the sync progress of the node',
  async handler({ chain, native }, _, call) {
    const { number, timestamp } = chain.latest()
    const age = Date.now() - timestamp
    if (age < FRESH_MS) return false
    const { beginSyncNum, peerList = [] } = await native.wallet.getNodeInfo(undefined, call)
    // An old head alone may be a chain without new blocks. A node that is catching up also has a peer.
    if (!peerList.some(({ needSyncFromPeer }) => needSyncFromPeer)) return false
    return {
      startingBlock: toQuantity(Math.min(beginSyncNum ?? number, number)),
      currentBlock: toQuantity(number),
      highestBlock: toQuantity(number + Math.floor(age / SLOT_MS)),
    }
  },
})
