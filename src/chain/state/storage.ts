import type { Address, Hex } from 'viem'
import { numberToHex, pad } from 'viem/utils'

import { HistoricalStateError, RpcError } from '../../lib/errors.ts'
import type { NodeRpc } from '../../native/transport/nodeRpc.ts'
import { codeAt } from './code.ts'
import type { StateRead } from './stateRead.ts'

/**
 * One slot of a contract’s storage, 32 bytes. The node’s HTTP API cannot read storage. Its own JSON-RPC can, for the newest state
 * only. An account without code has no storage, so its slots are zero.
 *
 * @param slot - below 2^256.
 * @throws HistoricalStateError for the solidified or a past state; RpcError `-32000` without `rpc`.
 */
export async function storageAt(
  address: Address,
  slot: bigint,
  state: StateRead,
  rpc: NodeRpc | undefined,
): Promise<Hex> {
  const { source, call } = state
  if (rpc && source.at === 'latest') return rpc.getStorageAt(address, numberToHex(slot), call)
  if ((await codeAt(address, state)) === '0x') return pad('0x', { size: 32 })
  if (source.at !== 'latest') throw new HistoricalStateError('of contract storage')
  throw new RpcError(
    -32000,
    'contract storage is not part of the node’s HTTP API: set --upstream-rpc to the node’s own JSON-RPC',
  )
}
