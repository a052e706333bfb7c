import { Hono } from 'hono'

import { ConfigError, createConfig } from '../config/config.ts'
import { upstreamsOf } from '../config/upstreamList.ts'
import type { HealthReader } from '../http/health.ts'
import { createPage } from '../http/page/page.tsx'
import { createHttpServer } from '../http/server.ts'
import { createUnsent } from '../http/unsent.ts'
import { createWalletPassthrough } from '../http/walletPassthrough.ts'
import { UpstreamError } from '../lib/errors.ts'
import { createHeldBytes, HELD_PLACES } from '../lib/heldBytes.ts'
import { explainInHeaders } from '../rpc/explain/headers.ts'
import { chainWords } from '../rpc/openrpc/chainJson.ts'
import { createDocumentRoutes } from '../rpc/openrpc/routes.ts'
import { readManagedKeys } from '../sending/keyFile.ts'
import type { Gateway, GatewayOptions } from './gatewayTypes.ts'
import { hiddenTexts, silentLog } from './log.ts'
import { createBoot } from './parts/boot.ts'
import { connectLimits } from './parts/callLimits.ts'
import { checkExposure } from './parts/exposure.ts'
import { figuresOf, healthOf } from './parts/health.ts'
import { createNodeConnection } from './parts/nodeConnection.ts'
import { createRpcServers } from './parts/rpcServers.ts'
import type { Services } from './parts/services.ts'
import { createTelemetry } from './parts/telemetry.ts'

export type { Gateway, Workers } from './gatewayTypes.ts'

/**
 * Creates every part once and connects them. Embedders may pass a transport, keys, methods and routes.
 *
 * @throws ConfigError when managed keys would be served on an address that other machines reach.
 */
export function createGateway({
  accountIndex,
  accounts,
  around,
  artifacts,
  authoritative,
  coinDecimals = 6,
  config: given,
  createSimulator,
  failureOf,
  keys = [],
  log = silentLog,
  methods: extraMethods = {},
  nextRun,
  onUnknown,
  ownChain,
  priceOfBlock,
  problems = () => [],
  routes: extraRoutes,
  rpcPaths = {},
  tracer,
  transport,
  workers,
}: GatewayOptions): Gateway {
  // The keys are removed from the config, so that nothing can print them.
  const managedKeys = [...keys, ...readManagedKeys(given.keys)]
  const config = createConfig({ ...given, keys: undefined })
  // An embedder's methods and routes may send transactions, and a chain in this process takes calls from every client.
  const canSpend =
    managedKeys.length > 0 ||
    transport !== undefined ||
    extraRoutes !== undefined ||
    Object.keys(extraMethods).length > 0
  checkExposure({ canSpend, config, hasKeys: managedKeys.length > 0, log })
  const held = createHeldBytes({ limit: config.heldBytes, share: config.heldBytes / 2 })
  const telemetry = createTelemetry({
    gauges: () => figuresOf(health(), services, sockets),
    log,
    slow: config.slow,
    tracer,
  })
  const { metrics, recorder, traffic } = telemetry
  const isAuthoritative = authoritative ?? transport !== undefined
  const node = createNodeConnection({
    authoritative: isAuthoritative,
    config,
    share: workers && (() => workers.share()),
    telemetry,
    transport,
  })
  const { native, upstreams } = node
  const limits = connectLimits({
    config,
    log,
    loop: telemetry.loop,
    metrics,
    queued: () => (upstreams?.transport.status() ?? []).map(({ queued }) => queued),
  })
  const simulator = config.simulate === 'off' ? undefined : simulatorOf()
  const started = performance.now()
  let services: Services | undefined
  let draining = false
  let sockets = 0
  let ownUrl: string | undefined
  let hidden = upstreams ? hiddenTexts(upstreamsOf(config)) : []

  const booting = createBoot({
    config,
    held,
    keys: managedKeys,
    node,
    own: { accountIndex, isAuthoritative, nextRun, ownChain, priceOfBlock },
    simulator,
    telemetry,
  })
  const ready = booting.ready.then((built) => {
    services = built
    node.expect(built.contexts.full.chain.genesis.slice(2))
    built.head.onUpdate(({ removed }) => {
      if (removed.length > 0) metrics.reorg(removed.length)
    })
    node.follow(built.head)
    return built
  })
  // Avoids an unhandled rejection when no caller waits for `ready`.
  ready.catch(() => {})

  function simulatorOf(): ReturnType<NonNullable<typeof createSimulator>> {
    if (!createSimulator || !upstreams?.hasRpc())
      throw new ConfigError(
        '--simulate',
        createSimulator
          ? 'needs --upstream-rpc, the node’s own JSON-RPC, to read the storage of contracts'
          : 'needs the command ethgate',
      )
    const { feeSignal, responseLimit } = config
    return createSimulator({ feeSignal, held, log, node: () => upstreams.withRpc(), responseLimit })
  }

  /** The context of a view. Until the services exist, a call waits for the first attempt to reach the node. */
  const contextOf: createRpcServers.Options['contextOf'] = (view) => {
    const built = services
    const reached = built?.head.reached()
    if (built) return reached ? reached.then(() => built.contexts[view]) : built.contexts[view]
    return booting.firstAttempt.then(() => {
      if (services) return services.contexts[view]
      throw new UpstreamError('the upstream node has not answered yet, try again later')
    })
  }

  const unsent = createUnsent({ held, limit: config.unsentBytes })
  const servers = createRpcServers({
    around,
    coinDecimals,
    config,
    contextOf,
    extraMethods,
    hasRoom: (bytes, client) => unsent.hasRoom(bytes, client),
    limits,
    nodeRpc: () => node.rpc(),
    onUnknown,
    ownUrl: () => ownUrl ?? `http://localhost:${config.port}`,
    telemetry,
  })
  const { description, full, request, verifier } = servers
  const health = (reader: HealthReader = 'operator') =>
    healthOf({
      config,
      draining,
      node: upstreams?.first(),
      problems: problems(),
      reader,
      services,
      started,
      upstreams: upstreams?.transport.status(),
      waiting: booting.waiting(),
      workers: workers?.states(),
    })

  const chain = () => (services ? chainWords(config, services.chainId) : undefined)

  const page =
    config.page === 'on'
      ? createPage({
          accounts,
          artifacts,
          chain,
          coinDecimals,
          failureOf,
          health,
          methods: description.served,
          native,
          nativeAt: async (...place) => (await contextOf('full')).chain.nativeAt(...place),
          request,
          traffic: () => traffic.report(),
          verified: () => verifier?.report(),
        })
      : undefined

  const wallet =
    upstreams && config.walletPassthrough
      ? createWalletPassthrough({
          bodyLimit: config.bodyLimit,
          cacheBytes: config.cacheBytes * WALLET_CACHE_SHARE,
          hidden: () => hidden,
          solid: () => services?.head.status().solid,
          transport: upstreams.transport,
        })
      : undefined

  const headBlock = () => {
    const chain = services?.contexts.full.chain
    return health().head.number === null ? undefined : chain?.latest()
  }

  function updateMetrics(): void {
    metrics.health(health())
    metrics.unsentBytes.set(unsent.bytes())
    for (const place of HELD_PLACES) metrics.heldBytes.set({ place }, held.total(place))
    metrics.limitsShared.set(limits.isShared() === false ? 0 : 1)
    if (services) metrics.blockCache(services.blocks.usage())
    if (services?.store) metrics.store(services.store.status())
  }
  workers?.onBeat(() =>
    Math.max(0, ...(upstreams?.transport.status() ?? []).map(({ quota }) => quota ?? 0)),
  )
  workers?.onCollect(() => {
    updateMetrics()
    return metrics.registry.getMetricsAsJSON()
  })

  const http = createHttpServer({
    explain: (work, call) => explainInHeaders(work, { call, head: headBlock, limits, recorder }),
    documents: createDocumentRoutes({
      decimals: coinDecimals,
      chain,
      document: (url) => description.document(url),
      hasPage: page !== undefined,
    }),
    canSpend,
    config,
    extraRoutes: joinRoutes(extraRoutes as Hono | undefined, wallet),
    health,
    held,
    limits,
    metrics: {
      contentType: metrics.registry.contentType,
      text() {
        if (workers) return workers.metrics()
        updateMetrics()
        return metrics.registry.metrics()
      },
    },
    onConnections(count) {
      sockets = count
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
      ...Object.entries(rpcPaths).map(([path, methods]) => ({
        path,
        server: servers.with(methods),
      })),
    ],
    unsent,
  })

  return {
    config,
    metrics,
    native,
    ready,
    health,
    async start() {
      const address = await http.listen()
      // `stop` was called meanwhile.
      if (draining) {
        await http.close({ delay: 0 })
        throw new Error('the gateway was stopped while it started')
      }
      ownUrl = address.url
      const names = upstreams?.transport.status().map(({ name }) => name)
      const admin = http.adminPort()
      if (admin !== undefined) log.info({ port: admin }, 'listening for metrics and state pages')
      log.info({ url: address.url, upstream: names?.join(', ') }, 'listening')
      const named = config.chainName === undefined ? '' : ` of ${config.chainName}`
      if (page) log.info({}, `Explorer${named} ${address.url}`)
      telemetry.start()
      booting.start()
      await booting.firstAttempt
      return address
    },
    async stop(options = {}) {
      draining = true
      // It ends while the requests in flight do: a transaction of the index may take a second.
      services?.index?.stopFilling().catch(() => {})
      await http.close(options)
      await booting.stop()
      await limits.stop()
      await simulator?.stop()
      await node.close()
      telemetry.stop()
      unsent.stop()
    },
    request,
    reloadApiKeys: () => limits.reload(),
    async setUpstreams(nodes) {
      hidden = [...hidden, ...hiddenTexts(nodes)]
      await upstreams?.update(nodes)
      hidden = hiddenTexts(nodes)
      // The index exists when the gateway is ready.
      ready.then(({ index }) => index?.setUpstreams(nodes)).catch(() => {})
    },
  }
}

export declare namespace createGateway {
  type Options = GatewayOptions
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
