import { createNodeClient } from '../../native/client.ts'
import { withGrpc } from '../../native/grpc/withGrpc.ts'
import { drained } from '../../native/pool/drained.ts'
import { createUpstreamPool } from '../../native/pool/pool.ts'
import { TIMING } from '../../native/pool/timing.ts'
import { countInFlight } from '../../native/transport/countInFlight.ts'
import { createHttpTransport, type NativeTransport } from '../../native/transport/transport.ts'
import type { Upstream } from '../../native/upstream.ts'
import { type AskNodes, solidBlock } from '../fill/reconcile.ts'

/** Calls the nodes from which an index is filled. */
export type FillTransport = NativeTransport & {
  /** Replaces the nodes. Calls in flight to the old ones finish. */
  update(upstreams: readonly Upstream[]): Promise<void>
  /** Asks every node, each over a connection of its own. */
  solidHashes: AskNodes
}

/** Milliseconds between probes of a node that works. The gateway probes the same nodes more often. */
const PROBE = 5_000

/** The part of a node's rate that filling may use. */
const RATE_SHARE = 0.2

/**
 * Several nodes share the calls, and a node that fails gets none. A single node without a rate limit is called without a pool: then
 * only the needed parts of its answers are parsed.
 */
export function createFillTransport(options: createFillTransport.Options): FillTransport {
  let current = countInFlight(connect(options, options.upstreams))
  let nodes = options.upstreams

  return {
    send: (path, body, sendOptions) => current.send(path, body, sendOptions),
    async update(upstreams) {
      const old = current
      nodes = upstreams
      current = countInFlight(connect(options, upstreams))
      await drained({ isIdle: () => old.inFlight() === 0 }, options.timeout)
      await old.close()
    },
    solidHashes: (number, signal) =>
      Promise.all(
        nodes.map(async ({ headers, solidity, timeout, wallet }) => {
          const native = createNodeClient({
            transport: createHttpTransport({
              headers,
              sockets: 1,
              timeout: Math.min(timeout, options.timeout),
              upstream: wallet,
              upstreamSolidity: solidity,
            }),
          })
          try {
            return (await solidBlock(native, { id_or_num: String(number) }, signal))?.hash
          } catch {
            return undefined
          } finally {
            await native.close()
          }
        }),
      ),
    close: () => current.close(),
  }
}

export declare namespace createFillTransport {
  type Options = {
    /** Hash of block 0, hex without `0x`. */
    genesis: string
    log: Record<'info' | 'warn', (fields: object, message: string) => void>
    /** Sockets for each port of a node. */
    sockets: number
    /** Milliseconds for one call. */
    timeout: number
    upstreams: readonly Upstream[]
  }
}

function connect(
  { genesis, log, sockets, timeout }: createFillTransport.Options,
  upstreams: readonly Upstream[],
): NativeTransport {
  const [only, ...others] = upstreams
  if (!only) throw new TypeError('at least one upstream is needed')
  if (others.length > 0 || typeof only.rate === 'number') {
    const pool = createUpstreamPool({
      log,
      sockets,
      timeout,
      timing: { ...TIMING, probe: PROBE },
      upstreams: upstreams.map(shared),
    })
    pool.expect(genesis)
    return pool
  }
  const common = { headers: only.headers, timeout: Math.min(only.timeout, timeout) }
  const http = createHttpTransport({
    ...common,
    sockets,
    upstream: only.wallet,
    upstreamSolidity: only.solidity,
  })
  return withGrpc(http, {
    ...common,
    address: only.grpc,
    expected: () => genesis,
    log,
    name: only.name,
  })
}

/** The other calls of the gateway need most of the rate. */
function shared(upstream: Upstream): Upstream {
  return typeof upstream.rate === 'number'
    ? { ...upstream, rate: Math.max(1, upstream.rate * RATE_SHARE) }
    : upstream
}
