import type { Config } from '../config.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { type ChainGuard, createChainGuard, guardRpc } from '../native/chainGuard.ts'
import { createNodeClient, type NativeClient } from '../native/client.ts'
import type { NodeRpc } from '../native/rpc.ts'
import type { NativeTransport } from '../native/transport.ts'
import type { CallRecorder } from '../tracing/recorder.ts'
import { connectUpstreams, type Upstreams } from './upstreams.ts'

/** The connection of a gateway to its node or nodes. */
export type NodeConnection = {
  /** Refuses answers of another chain. */
  readonly guard: ChainGuard
  readonly native: NativeClient
  /** The nodes' own JSON-RPC; undefined while none has one. */
  rpc(): NodeRpc | undefined
  /** The nodes of the configuration; undefined for a chain in this process. */
  readonly upstreams: Upstreams | undefined
  close(): Promise<void>
}

/**
 * Connects to the nodes of the configuration, or to a chain behind a given transport. Makes no call.
 *
 * @throws ConfigError or Error when an address or a header cannot be used.
 */
export function createNodeConnection({
  config,
  log,
  metrics,
  recorder,
  transport,
}: createNodeConnection.Options): NodeConnection {
  if (transport) return connectionOf(recorder.watch(transport), undefined)
  const upstreams = connectUpstreams({
    config,
    log,
    metrics,
    onConnect: () => connection.guard.suspect(),
    recorder,
  })
  const connection = connectionOf(upstreams.transport, upstreams)
  return connection
}

export declare namespace createNodeConnection {
  type Options = {
    config: Config
    log: Log
    metrics: Metrics
    recorder: CallRecorder
    /** Leads to a chain in this process. @default sockets to the nodes of the configuration */
    transport: NativeTransport | undefined
  }
}

function connectionOf(
  transport: NativeTransport,
  upstreams: Upstreams | undefined,
): NodeConnection {
  const guard = createChainGuard({ transport })
  const native = createNodeClient({ transport: guard.transport })
  const rpc = upstreams?.rpc && guardRpc(upstreams.rpc, guard)
  return {
    guard,
    native,
    rpc: () => (upstreams?.hasRpc() ? rpc : undefined),
    upstreams,
    async close() {
      await rpc?.close()
      await native.close()
    },
  }
}
