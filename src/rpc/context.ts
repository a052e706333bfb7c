import type { Chain } from '../chain/blocks/chainTypes.ts'
import type { InternalTransactions } from '../chain/blocks/internalTransactions.ts'
import type { Filters } from '../chain/filters/filters.ts'
import type { Hub } from '../chain/subscriptions/hub.ts'
import type { Config } from '../config/config.ts'
import type { NativeClient } from '../native/client.ts'
import type { NodeRpc } from '../native/transport/rpc.ts'
import type { Sending } from '../sending/sending.ts'
import type { RequestScope } from './request.ts'

/**
 * Everything that a method may use. `gateway/services.ts` creates it for each view (full, solid); the server adds `request` for
 * each call.
 */
export type Context = {
  chain: Chain
  config: Config
  /** Filters of this view. */
  filters: Filters
  /** The calls inside transactions. */
  internal: InternalTransactions
  native: NativeClient
  /** The node’s own JSON-RPC, if `--upstream-rpc` names it. */
  nodeRpc?: NodeRpc | undefined
  request: RequestScope
  /** Managed keys, sent transactions and nonces. */
  sending: Sending
  /** Subscriptions of the sockets on this view. */
  subscriptions: Hub
}

/** The part of the context that is the same for every call of a view. */
export type ViewContext = Omit<Context, 'request'>
