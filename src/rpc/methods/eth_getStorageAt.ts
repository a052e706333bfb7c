import { defineMethod, schemas } from '../method.ts'
import { blockRef, contractAddress, optional, storageSlot } from '../params/params.ts'

export const eth_getStorageAt = defineMethod({
  params: [contractAddress, storageSlot, optional(blockRef, 'latest')],
  result: schemas.hash,
  summary:
    'a storage slot; needs --upstream-rpc, because the node’s HTTP API does not provide storage',
  handler: ({ execution }, [account, slot, ref], call) =>
    execution.storage(account, slot, ref, call),
})
