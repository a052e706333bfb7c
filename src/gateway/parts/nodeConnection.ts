import type { Head } from '../../chain/head/headTypes.ts'
import type { Config } from '../../config/config.ts'
import { INDEX_READ_PRICE } from '../../limits/prices.ts'
import { type BlockSource, throughStore } from '../../logIndex/blocks/throughStore.ts'
import { createNodeClient, type NativeClient } from '../../native/client.ts'
import { type ChainGuard, createChainGuard } from '../../native/identity/chainGuard.ts'
import type { NodeRpc } from '../../native/transport/nodeRpc.ts'
import type { NativeTransport } from '../../native/transport/transport.ts'
import type { OneNode } from '../../sending/nodeLooks.ts'
import { charge, connectUpstreams, type Upstreams } from './connectUpstreams.ts'
import type { Telemetry } from './telemetry.ts'

/** The connection of a gateway to its node or nodes. */
export type NodeConnection = {
  /** Rejects answers of any other chain from now on. @param genesis - hash of block 0, without 0x */
  expect(genesis: string): void
  /** Compares the answers of nodes with this head from now on. */
  follow(head: Head): void
  readonly native: NativeClient
  /** For the head: nodes below the newest block that clients have seen answer it too. Otherwise the head could not follow a chain that was reset. */
  readonly headNative: NativeClient
  /** Each node that serves the chain, on its own. */
  nodes(): OneNode[]
  /** The nodes' own JSON-RPC; undefined while none has one. */
  rpc(): NodeRpc | undefined
  /** Answers reads of final blocks from a store from now on; undefined for none. It has no effect on a given transport. */
  useStore(store: BlockSource | undefined): void
  /** The nodes of the configuration; undefined for a chain behind a given transport. */
  readonly upstreams: Upstreams | undefined
  close(): Promise<void>
}

/**
 * Connects to the nodes of the configuration, or to a chain behind a given transport. Makes no call.
 *
 * @throws ConfigError or Error when an address or a header cannot be used.
 */
export function createNodeConnection({
  isInProcess,
  config,
  share,
  telemetry,
  transport,
}: createNodeConnection.Options): NodeConnection {
  if (transport)
    return connectionOf(telemetry.recorder.watch(metered(transport)), {
      guarded: !isInProcess,
      timeout: config.upstreamTimeout,
    })
  const upstreams = connectUpstreams({ config, share, telemetry })
  let store: BlockSource | undefined
  const native = createNodeClient({
    transport: throughStore(
      upstreams.transport,
      () => store,
      ({ meter }, isHit) => {
        telemetry.metrics.storeRead(isHit)
        if (isHit && meter) meter.cost += INDEX_READ_PRICE
      },
    ),
  })
  return {
    nodes: createNodes(native, upstreams),
    expect(genesis) {
      upstreams.transport.expect(genesis)
      upstreams.findRpcs()
    },
    follow: (head) => followHead(head, upstreams.transport),
    native,
    headNative: createNodeClient({ transport: belowFloor(upstreams.transport) }),
    rpc: () => (upstreams.hasRpc() ? upstreams.rpc : undefined),
    upstreams,
    useStore: (next) => (store = next),
    async close() {
      await upstreams.rpc.close()
      await native.close()
    },
  }
}

export declare namespace createNodeConnection {
  type Options = {
    /** Whether a given transport leads to a chain that is always right, such as one in this process. */
    isInProcess: boolean
    config: Config
    /** Part of the rates of nodes that this worker may use now. @default 1 */
    share?: (() => number) | undefined
    telemetry: Telemetry
    /** Leads to a chain in this process. @default sockets to the nodes of the configuration */
    transport: NativeTransport | undefined
  }
}

/** Charges the calls of a chain in this process like those of a node. */
function metered(transport: NativeTransport): NativeTransport {
  return {
    ...transport,
    send(path, body, options) {
      charge(options, path)
      return transport.send(path, body, options)
    },
  }
}

/** A chain behind a given transport. @param guarded - whether another chain may replace it */
function connectionOf(
  transport: NativeTransport,
  { guarded, timeout }: { guarded: boolean; timeout: number },
): NodeConnection {
  const guard = guarded ? createChainGuard({ checker: transport, timeout, transport }) : undefined
  const native = createNodeClient({
    transport: guard ? { ...guard, close: () => transport.close() } : transport,
  })
  return {
    expect: (genesis) => guard?.expect(genesis),
    follow: (head) => guard && followHead(head, guard),
    native,
    headNative: native,
    nodes: () => [{ name: undefined, native }],
    rpc: () => undefined,
    upstreams: undefined,
    useStore() {},
    close: () => native.close(),
  }
}

/** The nodes of a pool, each with a client of its own; one node is the whole pool. */
function createNodes(native: NativeClient, { clientName, transport }: Upstreams) {
  const clients = new Map<string, NativeClient>()
  return () => {
    const names = transport.peers()
    return names.length < 2
      ? [{ name: undefined, native }]
      : names.map((name) => ({ name: clientName(name), native: clientOf(name) }))
  }

  function clientOf(name: string): NativeClient {
    const known = clients.get(name)
    if (known) return known
    const client = createNodeClient({
      transport: { ...transport, send: (...call) => transport.sendTo(name, ...call) },
    })
    clients.set(name, client)
    return client
  }
}

function belowFloor(transport: NativeTransport): NativeTransport {
  return {
    ...transport,
    send: (path, body, options) => transport.send(path, body, { ...options, belowFloor: true }),
  }
}

function followHead(head: Head, node: Pick<ChainGuard, 'setFloor'>): void {
  const setFloor = () =>
    node.setFloor({
      hashAt: (number) => head.at(number)?.hash.slice(2),
      head: head.latest().number,
      solid: head.solid().number,
    })
  head.onUpdate(setFloor)
  // A follower may start before it has a block.
  if (head.status().number !== undefined) setFloor()
}
