import type { Chain } from '../chain/blocks/chainTypes.ts'
import type { Cursors } from '../chain/filters/cursors.ts'
import type { Filters } from '../chain/filters/filters.ts'
import type { Hub } from '../chain/subscriptions/hub.ts'
import type { Config } from '../config/config.ts'
import type { NativeClient } from '../native/client.ts'
import type { NodeRpc } from '../native/transport/nodeRpc.ts'
import type { Sending } from '../sending/sending.ts'
import type { Execution } from './execution/execution.ts'

/**
 * Everything that a method may use. `gateway/parts/services.ts` creates it for each view (full, solid).
 */
export type Context = {
  chain: Chain
  config: Config
  /** Named cursors of this view. */
  cursors: Cursors
  /** State, calls, traces and the mempool. */
  execution: Execution
  /** Filters of this view. */
  filters: Filters
  native: NativeClient
  /** The node’s own JSON-RPC, if `--upstream-rpc` names it. */
  nodeRpc?: NodeRpc | undefined
  /** Managed keys, sent transactions and nonces. */
  sending: Sending
  /** Subscriptions of the sockets on this view. */
  subscriptions: Hub
}
