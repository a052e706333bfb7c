import { storageAt } from '../../chain/state/storage.ts'
import * as schemas from '../../codec/schemas.ts'
import { defineMethod } from '../method.ts'
import { blockRef, contractAddress, optional, storageSlot } from '../params/params.ts'

export const eth_getStorageAt = defineMethod({
  params: [contractAddress, storageSlot, optional(blockRef, 'latest')],
  result: schemas.hash,
  summary:
    'a storage slot; needs --upstream-rpc, because the node’s HTTP API does not provide storage',
  handler: async ({ chain, native, nodeRpc }, [account, slot, ref], call) =>
    storageAt(account, slot, { native, call, source: await chain.state(ref) }, nodeRpc),
})
