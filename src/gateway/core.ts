import { ConfigError, createConfig } from '../config/config.ts'
import { upstreamsOf } from '../config/upstreamList.ts'
import type { HealthReader } from '../http/health.ts'
import { createUnsent } from '../http/unsent.ts'
import { UpstreamError } from '../lib/errors.ts'
import { createHeldBytes, HELD_PLACES } from '../lib/heldBytes.ts'
import { readManagedKeys } from '../sending/keys.ts'
import type { GatewayOptions } from './gatewayTypes.ts'
import { hiddenTexts, silentLog } from './log.ts'
import { createBoot } from './parts/boot.ts'
import { connectLimits } from './parts/callLimits.ts'
import { checkExposure, simulationOf } from './parts/exposure.ts'
import { figuresOf, healthOf } from './parts/health.ts'
import { createNodeConnection } from './parts/nodeConnection.ts'
import { createRpcServers } from './parts/rpcServers.ts'
import type { Services } from './parts/services.ts'
import { createTelemetry } from './parts/telemetry.ts'

/** What changes while a gateway runs. */
type State = {
  readonly started: number
  draining: boolean
  /** Texts that no client may see. */
  hidden: string[]
  /** Where the gateway listens. */
  ownUrl: string | undefined
  /** Present once the node has answered. */
  services: Services | undefined
  /** WebSockets. */
  sockets: number
}

/** The parts of a gateway below its HTTP server. */
export type Core = ReturnType<typeof createCore>

/** @throws ConfigError when managed keys would be served on an address that other machines reach */
export function createCore(given: GatewayOptions) {
  const { host = {}, keys = [], log = silentLog, methods = {}, own = {} } = given
  const { coinDecimals = 6, transport } = own
  // The keys are removed from the config, so that nothing can print them.
  const managedKeys = [...keys, ...readManagedKeys(given.config.keys)]
  const asked = createConfig({ ...given.config, keys: undefined })
  const config = createConfig({ ...asked, simulate: simulationOf(asked) })
  // An embedder's methods and routes may send transactions, and a chain in this process takes calls from every client.
  const canSpend =
    managedKeys.length > 0 ||
    transport !== undefined ||
    given.routes !== undefined ||
    Object.keys(methods).length > 0
  checkExposure({ canSpend, config, hasKeys: managedKeys.length > 0, log })
  const state: State = {
    started: performance.now(),
    draining: false,
    hidden: transport ? [] : hiddenTexts(upstreamsOf(config)),
    ownUrl: undefined,
    services: undefined,
    sockets: 0,
  }
  const held = createHeldBytes({ limit: config.heldBytes, share: config.heldBytes / 2 })
  const health = (reader: HealthReader = 'operator') =>
    healthOf({
      config,
      draining: state.draining,
      node: node.upstreams?.first(),
      problems: host.problems?.() ?? [],
      reader,
      services: state.services,
      started: state.started,
      upstreams: node.upstreams?.transport.status(),
      waiting: booting.waiting(),
      workers: host.workers?.states(),
    })
  const telemetry = createTelemetry({
    gauges: () => figuresOf(health(), state.services, state.sockets),
    log,
    slow: config.slow,
    tracer: given.tracer,
  })
  const isInProcess = own.isInProcess ?? transport !== undefined
  const { workers } = host
  const node = createNodeConnection({
    isInProcess,
    config,
    share: workers && (() => workers.share()),
    telemetry,
    transport,
  })
  const unsent = createUnsent({ held, limit: config.unsentBytes })
  const limits = connectLimits({
    config,
    log,
    loop: telemetry.loop,
    metrics: telemetry.metrics,
    queued: () => (node.upstreams?.transport.status() ?? []).map(({ queued }) => queued),
  })
  const simulator = config.simulate === 'off' ? undefined : createSimulator()
  const booting = createBoot({
    config,
    held,
    keys: managedKeys,
    node,
    own: { ...own, isInProcess },
    simulator,
    telemetry,
  })

  function createSimulator() {
    const { upstreams } = node
    if (!host.createSimulator || !upstreams?.mayHaveRpc()) {
      if (asked.simulate === 'auto') return undefined
      throw new ConfigError(
        '--simulate',
        host.createSimulator
          ? 'needs --upstream-rpc, the node’s own JSON-RPC, to read the storage of contracts'
          : 'needs the command ethgate',
      )
    }
    const { feeSignal, responseLimit } = config
    const nodeOf = () => upstreams.withRpc()
    return host.createSimulator({ feeSignal, held, log, node: nodeOf, responseLimit })
  }

  /** The context of a view. Until the services exist, a call waits for the first attempt to reach the node. */
  const contextOf: createRpcServers.Options['contextOf'] = (view) => {
    const built = state.services
    const reached = built?.head.reached()
    if (built) return reached ? reached.then(() => built.contexts[view]) : built.contexts[view]
    return booting.firstAttempt.then(() => {
      if (state.services) return state.services.contexts[view]
      throw new UpstreamError('the upstream node has not answered yet, try again later')
    })
  }

  const servers = createRpcServers({
    config,
    contextOf,
    host,
    limits: { ...limits, hasRoom: (bytes, client) => unsent.hasRoom(bytes, client) },
    methods,
    node,
    place: { coinDecimals, url: () => state.ownUrl ?? `http://localhost:${config.port}` },
    telemetry,
  })

  return {
    booting,
    canSpend,
    coinDecimals,
    config,
    contextOf,
    health,
    held,
    host,
    limits,
    log,
    node,
    own,
    servers,
    simulator,
    state,
    telemetry,
    unsent,
  }
}

/** Follows the services once they exist. */
export function followServices({ booting, node, state, telemetry }: Core): Promise<Services> {
  const ready = booting.ready.then((built) => {
    state.services = built
    node.expect(built.contexts.full.chain.genesis.slice(2))
    built.head.onUpdate(({ removed }) => {
      if (removed.length > 0) telemetry.metrics.reorg(removed.length)
    })
    node.follow(built.head)
    return built
  })
  // Avoids an unhandled rejection when no caller waits for `ready`.
  ready.catch(() => {})
  return ready
}

/** Brings the metrics up to date that are read, not counted. */
export function updateMetrics({ health, held, limits, state, telemetry, unsent }: Core): void {
  const { metrics } = telemetry
  metrics.health(health())
  metrics.unsentBytes.set(unsent.bytes())
  for (const place of HELD_PLACES) metrics.heldBytes.set({ place }, held.total(place))
  metrics.limitsShared.set(limits.isShared() === false ? 0 : 1)
  if (state.services) metrics.blockCache(state.services.blocks.usage())
  if (state.services?.store) metrics.store(state.services.store.status())
}
