import { storageAt } from '../chain/storage.ts'
import { defineMethod } from '../jsonrpc/method.ts'
import { address, blockRef, optional, quantity } from '../jsonrpc/params.ts'

export const eth_getStorageAt = defineMethod({
  params: [address, quantity, optional(blockRef, 'latest')],
  summary:
    'a storage slot; needs --upstream-rpc, because the node’s HTTP API does not tell storage',
  handler: async ({ chain, native, nodeRpc, request: { signal } }, [account, slot, ref]) =>
    storageAt(account, slot, { native, signal, source: await chain.state(ref) }, nodeRpc),
})
