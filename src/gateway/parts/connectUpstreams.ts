import type { Config } from '../../config/config.ts'
import { upstreamsOf } from '../../config/upstreamList.ts'
import type { Call } from '../../lib/call.ts'
import { nativePrice } from '../../limits/prices.ts'
import { createNodeClient } from '../../native/client.ts'
import { isRpcOf } from '../../native/pool/guessedRpc.ts'
import { createPoolRpc, type PoolRpc } from '../../native/pool/poolRpc.ts'
import { createUpstreams } from '../../native/pool/upstreams.ts'
import { clientNameOf, type Upstream } from '../../native/upstream.ts'
import { indexSockets } from './gatewayIndex.ts'
import type { Telemetry } from './telemetry.ts'

/** Milliseconds for which the condition of the nodes counts as known. */
const CONDITION_AGE = 20

/**
 * A node is far if its quickest call of the last minutes took more milliseconds than this. A round trip then costs more than the work for
 * an answer. Other calls say less: a busy node near by answers slowly too.
 */
const FAR = 15

/** Milliseconds until a JSON-RPC that was not found, or differed, is compared again. */
const FIND_AGAIN = 60_000

/** The nodes of a gateway. */
export type Upstreams = ReturnType<typeof connectUpstreams>

/**
 * Connects the nodes of the configuration to metrics and log.
 *
 * @throws TypeError without any node, ConfigError or Error when an address or a header cannot be used.
 */
export function connectUpstreams({
  config,
  share,
  telemetry: { log, metrics, recorder },
}: connectUpstreams.Options) {
  const nodes = upstreamsOf(config)
  if (nodes.length === 0)
    throw new TypeError(
      'createGateway: config.upstream is missing: the address of a node, such as http://127.0.0.1:8090',
    )
  let several = nodes.length > 1
  let current = nodes
  const clientName = (name: string) =>
    clientNameOf(current.find((node) => node.name === name) ?? { name })
  const transport = createUpstreams({
    headQuorum: config.headQuorum,
    log,
    on: {
      call(name, path, call) {
        if (several && call.asked) (call.asked.names ??= new Set()).add(name)
        const watched = recorder.call(path, name)
        charge(call, path)
        return {
          headers: watched?.headers,
          end({ cancelled, seconds, status }) {
            watched?.end(status ?? (cancelled ? 'cancelled' : 'failed'))
            metrics.upstreamCall(
              path.includes('?') ? path.slice(0, path.indexOf('?')) : path,
              status === undefined ? 'failed' : String(status),
              seconds,
              several ? name : undefined,
            )
          },
        }
      },
      extra: (why) => metrics.upstreamExtra(why),
      refused(call, name, answer) {
        if (!call?.asked) return
        const node = clientName(name)
        // A node that was asked again has given its last answer now.
        const others = call.asked.refusals.filter((other) => other.node !== node)
        call.asked.refusals = [...others, { answer, node }]
      },
    },
    share,
    // The sockets of the log index count towards the same limit.
    sockets: Math.max(1, config.upstreamSockets - indexSockets(config)),
    timeout: config.upstreamTimeout,
    upstreams: nodes,
  })
  let known = { at: Number.NEGATIVE_INFINITY, hasGrpc: false, isFar: false, isSpare: false }

  /** Each cold read asks for this. It is kept for a while, because it costs more than the rest of a read. */
  function condition(): typeof known {
    const at = performance.now()
    if (at - known.at < CONDITION_AGE) return known
    const status = transport.status()
    return (known = {
      at,
      hasGrpc: status.every(({ grpc }) => grpc !== undefined && grpc.state !== 'down'),
      isFar: status.every(({ quickest }) => (quickest ?? 0) > FAR),
      isSpare: status.every(({ queued, quota }) => queued === 0 && (quota ?? 0) < 0.5),
    })
  }

  /** Guessed addresses of JSON-RPCs that were compared. */
  const found = new Set<string | undefined>()
  let finding: NodeJS.Timeout | undefined
  let isClosed = false
  const isMissing = ({ isRpcGuessed, rpc }: Upstream) => isRpcGuessed === true && !found.has(rpc)
  const compared = (list: readonly Upstream[]) =>
    list.map((node) => (isMissing(node) ? { ...node, rpc: undefined } : node))
  let hasRpc = someHasRpc(compared(nodes))
  const pool = createPoolRpc({
    confirm: (name) => transport.confirm(name),
    order: () => transport.order(),
    timeout: config.upstreamTimeout,
    upstreams: compared(nodes),
  })
  const rpc = {
    ...meteredRpc(pool),
    async close() {
      isClosed = true
      clearTimeout(finding)
      await pool.close()
    },
  }

  async function findRpcs(): Promise<void> {
    clearTimeout(finding)
    for (const node of current.filter(isMissing)) {
      const send: typeof transport.send = (...call) => transport.sendTo(node.name, ...call)
      const native = createNodeClient({ transport: { ...transport, send } })
      if (!(await isRpcOf(node, native)) || isClosed) continue
      found.add(node.rpc)
      hasRpc = true
      pool.update(compared(current))
      log.info(
        { upstream: node.name },
        `upstream ${node.name} has a JSON-RPC on port ${new URL(node.rpc ?? '').port}: storage, simulations and positions of logs are read from it`,
      )
    }
    if (!isClosed && current.some(isMissing))
      finding = setTimeout(() => void findRpcs(), FIND_AGAIN).unref()
  }

  return {
    transport,
    /** The nodes' own JSON-RPC. */
    rpc,
    /** The name of a node for clients. */
    clientName,
    /** The first node of the list. */
    first: () => current[0],
    /** The best node that has a JSON-RPC and the newest state that clients were shown; undefined when there is none. */
    withRpc() {
      const able = (name: string) =>
        compared(current).find((node) => node.name === name && node.rpc !== undefined)
      return transport
        .order()
        .map(able)
        .find((node) => node !== undefined)
    },
    /** Whether a node has a JSON-RPC that is used now: the nodes may change, and a guessed one is used once it was compared. */
    hasRpc: () => hasRpc,
    /** Whether a node has a JSON-RPC, perhaps at a guessed address that was not found yet. */
    mayHaveRpc: () => someHasRpc(current),
    /** Compares JSON-RPCs at guessed addresses with their nodes, and again each minute until each is found. */
    findRpcs: () => void findRpcs(),
    /** Whether every node has a gRPC interface that works. */
    hasGrpc: () => condition().hasGrpc,
    /** Whether a call waits longer for the way to the nodes than for their work. */
    isFar: () => condition().isFar,
    /** Whether the nodes can take calls that nobody waits for: none waits for a place, and half of the rate is left. */
    isSpare: () => condition().isSpare,
    /** Replaces the nodes. */
    async update(next: readonly Upstream[]) {
      several = next.length > 1
      await transport.update(next)
      current = next
      pool.update(compared(next))
      hasRpc = someHasRpc(compared(next))
      void findRpcs()
    },
  }
}

export declare namespace connectUpstreams {
  type Options = {
    config: Config
    /** Part of the rates of nodes that this worker may use now. @default 1 */
    share?: (() => number) | undefined
    telemetry: Pick<Telemetry, 'log' | 'metrics' | 'recorder'>
  }
}

/** Adds the price of a call to a node to the meter of what it is made for. @param path - see `nativePrice` */
export function charge(call: Call | undefined, path: string): void {
  if (call?.meter) call.meter.cost += nativePrice(path)
}

/** Charges the calls of the node’s own JSON-RPC like those of its HTTP API. */
function meteredRpc(rpc: PoolRpc): PoolRpc {
  return {
    ...rpc,
    getStorageAt(address, slot, asking) {
      charge(asking, 'eth_getStorageAt')
      return rpc.getStorageAt(address, slot, asking)
    },
    call(method, params, asking) {
      charge(asking, method)
      return rpc.call(method, params, asking)
    },
  }
}

function someHasRpc(upstreams: readonly Upstream[]): boolean {
  return upstreams.some(({ rpc }) => rpc !== undefined)
}
