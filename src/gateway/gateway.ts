import { Hono } from 'hono'

import { createPage } from '../http/page/page.tsx'
import { createHttpServer } from '../http/server.ts'
import { createWalletPassthrough } from '../http/walletPassthrough.ts'
import type { Upstream } from '../native/upstream.ts'
import { explainInHeaders } from '../rpc/explain/headers.ts'
import { chainWords } from '../rpc/openrpc/chainJson.ts'
import { createDocumentRoutes } from '../rpc/openrpc/routes.ts'
import { type Core, createCore, followServices, updateMetrics } from './core.ts'
import type { GatewayOptions } from './gatewayTypes.ts'
import { hiddenTexts } from './log.ts'

export type { Workers } from './gatewayTypes.ts'

/** An Ethereum JSON-RPC endpoint in front of one chain. */
export type Gateway = ReturnType<typeof createGateway>

/**
 * Creates every part once and connects them. Embedders may pass a transport, keys, methods and routes.
 *
 * @throws ConfigError when managed keys would be served on an address that other machines reach.
 */
export function createGateway(options: GatewayOptions) {
  const core = createCore(options)
  const { booting, config, limits, node, servers, simulator, state, telemetry, unsent } = core
  const ready = followServices(core)
  const http = createHttp(core, options.routes as Hono | undefined)
  reportToWorkers(core)
  return {
    config,
    metrics: telemetry.metrics,
    native: node.native,
    /** Settles when the node has answered. Rejects with MissingCapabilityError if it cannot be used, even long after `start`. */
    ready,
    health: () => core.health(),
    /**
     * Listens, then waits for the first attempt to reach the node. If the node is down, the gateway keeps trying in the background;
     * meanwhile `/health` reports it and methods fail.
     *
     * @throws MissingCapabilityError when the node cannot be used; the error of `listen`, such as EADDRINUSE.
     */
    async start() {
      const address = await http.listen()
      // `stop` was called meanwhile.
      if (state.draining) {
        await http.close({ delay: 0 })
        throw new Error('the gateway was stopped while it started')
      }
      state.ownUrl = address.url
      logStart(core, address.url, http.adminPort())
      telemetry.start()
      booting.start()
      await booting.firstAttempt
      return address
    },
    /**
     * Drains: `/ready` answers 503 at once. After `delay` milliseconds (default 0), in which requests are answered and their
     * connections closed, the port closes. Requests in flight finish within `config.drain`, counted from the
     * beginning; WebSockets close with 1001. With `isReplaced` another process accepts already: connections end with their next
     * answer, and idle ones after half of the drain.
     */
    async stop(options: { delay?: number; isReplaced?: boolean } = {}) {
      state.draining = true
      // It ends while the requests in flight do: a transaction of the index may take a second.
      state.services?.index?.stopFilling().catch(() => {})
      await http.close(options)
      await booting.stop()
      await limits.stop()
      await simulator?.stop()
      await node.close()
      telemetry.stop()
      unsent.stop()
    },
    /** One EIP-1193 call in this process, on the full view. @throws RpcError */
    request: servers.request,
    /** Reads the API keys file again. One that is not valid changes nothing. */
    reloadApiKeys: () => limits.reload(),
    /** Replaces the nodes. Calls in flight finish. Does nothing for a chain in this process. */
    async setUpstreams(nodes: readonly Upstream[]) {
      state.hidden = [...state.hidden, ...hiddenTexts(nodes)]
      await node.upstreams?.update(nodes)
      state.hidden = hiddenTexts(nodes)
      // The index exists when the gateway is ready.
      ready.then(({ index }) => index?.setUpstreams(nodes)).catch(() => {})
    },
  }
}

export declare namespace createGateway {
  type Options = GatewayOptions
}

/** The HTTP server with all that a gateway serves. */
function createHttp(core: Core, routes: Hono | undefined) {
  const { coinDecimals, config, health, host, limits, servers, state, telemetry } = core
  const { metrics, recorder } = telemetry
  const page = config.page === 'on' ? pageOf(core) : undefined
  const { full } = servers
  const paths = Object.entries(host.rpcPaths ?? {})
  const head = () =>
    health().head.number === null ? undefined : state.services?.contexts.full.chain.latest()
  return createHttpServer({
    ...core,
    explain: (work, call) => explainInHeaders(work, { call, head, limits, recorder }),
    documents: createDocumentRoutes({
      decimals: coinDecimals,
      chain: chainOf(core),
      document: (url) => servers.description.document(url),
      hasPage: page !== undefined,
    }),
    extraRoutes: joinRoutes(routes, walletOf(core)),
    metrics: {
      contentType: metrics.registry.contentType,
      text() {
        if (host.workers) return host.workers.metrics()
        updateMetrics(core)
        return metrics.registry.metrics()
      },
    },
    onConnections(count) {
      state.sockets = count
      metrics.wsConnections.set(count)
    },
    onCut: (reason) => metrics.wsCuts.inc({ reason }),
    onError: telemetry.onError,
    page,
    routes: [
      { path: '/', server: full },
      { path: '/jsonrpc', server: full },
      { path: '/ws', server: full },
      { path: '/solidity', server: servers.solid },
      { path: '/wei', server: servers.wei },
      ...paths.map(([path, methods]) => ({ path, server: servers.with(methods) })),
    ],
  })
}

/** The words of the chain; undefined until it is known. */
const chainOf =
  ({ config, state }: Core) =>
  () =>
    state.services && chainWords(config, state.services.chainId)

function pageOf(core: Core): Hono {
  const { contextOf, host, own, servers, telemetry } = core
  return createPage({
    accounts: own.accounts,
    artifacts: host.artifacts,
    chain: chainOf(core),
    coinDecimals: core.coinDecimals,
    epoch: () => core.state.services?.contexts.full.chain.epoch() ?? 0,
    failureOf: own.failureOf,
    health: core.health,
    methods: servers.description.served,
    native: core.node.native,
    nativeAt: async (...place) => (await contextOf('full')).chain.nativeAt(...place),
    request: servers.request,
    traffic: () => telemetry.traffic.report(),
    verified: () => servers.verifier?.report(),
  })
}

/** The native HTTP API of the node, if it is passed on. */
function walletOf({ config, node: { upstreams }, state }: Core): Hono | undefined {
  if (!upstreams || !config.walletPassthrough) return undefined
  return createWalletPassthrough({
    bodyLimit: config.bodyLimit,
    cacheBytes: config.cacheBytes * WALLET_CACHE_SHARE,
    hidden: () => state.hidden,
    solid: () => state.services?.head.status().solid,
    transport: upstreams.transport,
  })
}

/** Tells the other workers how much of its share this one uses, and its metrics. */
function reportToWorkers(core: Core): void {
  const { workers } = core.host
  const { upstreams } = core.node
  workers?.onBeat(() =>
    Math.max(0, ...(upstreams?.transport.status() ?? []).map(({ quota }) => quota ?? 0)),
  )
  workers?.onCollect(() => {
    updateMetrics(core)
    return core.telemetry.metrics.registry.getMetricsAsJSON()
  })
}

function logStart({ config, log, node }: Core, url: string, admin: number | undefined): void {
  const names = node.upstreams?.transport.status().map(({ name }) => name)
  if (admin !== undefined) log.info({ port: admin }, 'listening for metrics and state pages')
  log.info({ url, upstream: names?.join(', ') }, 'listening')
  const named = config.chainName === undefined ? '' : ` of ${config.chainName}`
  if (config.page === 'on') log.info({}, `Explorer${named} ${url}`)
}

/** Memory for cached answers of the native HTTP API, as a share of the memory for blocks. */
const WALLET_CACHE_SHARE = 1 / 8

function joinRoutes(...parts: (Hono | undefined)[]): Hono | undefined {
  const given = parts.filter((part) => part !== undefined)
  if (given.length < 2) return given[0]
  const all = new Hono()
  for (const part of given) all.route('/', part)
  return all
}
