import type { Chain } from '../chain/blocks/chainTypes.ts'
import type { Cursors } from '../chain/filters/cursors.ts'
import type { Filters } from '../chain/filters/filters.ts'
import type { Hub } from '../chain/subscriptions/hub.ts'
import type { Config } from '../config/config.ts'
import type { Call } from '../lib/call.ts'
import type { NativeClient } from '../native/client.ts'
import type { NodeRpc } from '../native/transport/rpc.ts'
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
  /** State, traces and the mempool. */
  execution: Execution
  /** Filters of this view. */
  filters: Filters
  native: NativeClient
  /** The node’s own JSON-RPC, if `--upstream-rpc` names it. */
  nodeRpc?: NodeRpc | undefined
  /** Runs calls in this process, on the newest state of a node; absent with `--simulate off`. */
  simulator?: Simulator | undefined
  /** Managed keys, sent transactions and nonces. */
  sending: Sending
  /** Subscriptions of the sockets on this view. */
  subscriptions: Hub
}

/** A call of a method that the simulator answers. */
export type SimulatedMethod = {
  method: string
  /** As received, but with the addresses of contracts for predicted ones. The block is always the newest. */
  params: readonly unknown[]
  /** The unit of amounts. */
  unit: 'sun' | 'wei'
}

/** Runs calls in this process with the EVM of the development chain, for what the calls of a node cannot do. */
export type Simulator = {
  /**
   * @param scope - The chain id, the lowest block that counts as newest, and what the run is charged to.
   * @throws RpcError with the words of calls that the node runs
   */
  simulate(
    method: SimulatedMethod,
    scope: { chainId: number; floor: number; call: Call },
  ): Promise<unknown>
}
