import { sleep } from '../../lib/sleep.ts'
import { readVersion } from '../capabilities.ts'
import { createNodeClient } from '../client.ts'
import { isUnserved, NodeSilentError, NodeTimeoutError, NodeUnreachableError } from '../errors.ts'
import { withGrpc } from '../grpc/withGrpc.ts'
import { createChainGuard } from '../identity/chainGuard.ts'
import { createServedChain } from '../identity/servedChain.ts'
import { logRelease } from '../release.ts'
import { createCheckTransport } from '../transport/checkTransport.ts'
import { createHttpTransport, type NativeTransport } from '../transport/transport.ts'
import { clientNameOf, type Upstream } from '../upstream.ts'
import { createLacking, isWrongMethod } from './lacking.ts'
import { createLatency, createQuickest } from './latency.ts'
import { createLimiter } from './limiter.ts'
import type { MemberState } from './memberState.ts'
import { round, type MemberStatus, releaseOf } from './memberStatus.ts'
import { pathParts } from './pathParts.ts'
import type { createUpstreamPool, UpstreamPool } from './pool.ts'

/**
 * Milliseconds without any answer while calls are in flight, after which the node is probed, and milliseconds that it has
 * to answer the probe. A healthy node is silent for seconds too while it collects garbage.
 */
const PROBE_TIMING = { quiet: 3_000, probe: 2_000 }

/** Milliseconds between two probes of a node that does not answer. */
const PROBE_INTERVAL = 500

/** Milliseconds for which the release of the node counts as known. */
const RELEASE_LIFETIME = 60_000

/**
 * A pool with one node, which gets all calls. A probe detects a node that accepts connections but does not answer:
 * until it answers again, calls fail at once instead of at their timeout. The pool of several nodes takes 4 to 9 % more CPU time a call and
 * probes its nodes, so a single node has a pool of its own.
 */
export function createSingleUpstream({
  log,
  on: { call: onCall } = {},
  probeTiming = PROBE_TIMING,
  share,
  sockets = 40,
  timeout = 10_000,
  upstream,
}: createSingleUpstream.Options): Omit<UpstreamPool, 'update'> {
  const { name } = upstream
  const limit = Math.min(upstream.timeout, timeout)
  const latency = createLatency()
  const quickest = createQuickest()
  const lacking = createLacking(() => performance.now())
  const counts = { calls: 0, failed: 0, busy: 0 }
  const common = {
    headers: upstream.headers,
    upstream: upstream.wallet,
    upstreamSolidity: upstream.solidity,
  }
  const observe: createHttpTransport.Options['onCall'] =
    onCall && ((path, call) => onCall(name, path, call))
  const http = createHttpTransport({
    ...common,
    onCall: observe,
    onConnect() {
      checker.renew()
      guard.invalidate()
    },
    // Two sockets are reserved for probes and checks of the chain, so that the node never gets too many connections.
    sockets: Math.max(1, sockets - 2),
    timeout: limit,
  })
  const checker = createCheckTransport({ ...common, sockets: 1, timeout: limit })
  const prober = createHttpTransport({
    ...common,
    sockets: 1,
    timeout: Math.min(probeTiming.probe, limit),
  })
  const ports = new Set([new URL(upstream.wallet).origin, new URL(upstream.solidity).origin]).size
  const places = Math.min(upstream.concurrency, sockets) * ports
  const limiter = createLimiter({
    concurrency: { limit: () => places },
    rate: upstream.rate ?? 'unlimited',
    share,
  })
  const life = { closed: false }
  const chain = createServedChain()
  const transport = withGrpc(http, {
    address: upstream.grpc,
    isGuess: upstream.isGrpcGuessed,
    expected: () => chain.genesis,
    headers: upstream.headers,
    log,
    name,
    onCall: observe,
    timeout: limit,
  })
  let answeredAt = 0
  /** Why the last call that has ended failed; undefined when it got an answer. */
  let fault: string | undefined
  let hasAnswered = false
  let silent = false
  /** Whether the last call that has ended got no answer in time. */
  let isDoubted = false
  /** The probe that decides whether the node is silent, while it runs. */
  let verdict: Promise<void> | undefined
  let isWatched = false
  let release: string | undefined
  let releaseReadAt = Number.NEGATIVE_INFINITY

  /** Reads the release again after a minute: the node may have been replaced. */
  async function readRelease(): Promise<void> {
    releaseReadAt = performance.now()
    // A node that does not answer this can still serve calls.
    const found = await readVersion(createNodeClient({ transport: prober })).catch(() => release)
    if (found !== undefined && found !== release && !life.closed) logRelease(log, name, found)
    release = found
  }

  async function look(): Promise<void> {
    const answered = await prober
      .send('/wallet/getblock', '{}', { idempotent: true })
      // A connection that is refused or breaks is an answer too: such calls do not wait.
      .then(
        () => true,
        (error: unknown) => !(error instanceof NodeTimeoutError),
      )
    setSilent(!answered)
  }

  /** Finds out whether the node is silent, and looks again until it is not. */
  function probe(): Promise<void> {
    return (verdict ??= look().finally(() => {
      verdict = undefined
      void watch()
    }))
  }

  async function watch(): Promise<void> {
    if (isWatched || !silent) return
    isWatched = true
    await sleep(PROBE_INTERVAL, undefined, { ref: false })
    isWatched = false
    if (life.closed) return
    await look()
    return watch()
  }

  function setSilent(isSilent: boolean): void {
    if (!isSilent) {
      answeredAt = performance.now()
      isDoubted = false
    }
    if (isSilent === silent || life.closed) return
    silent = isSilent
    const fields = { upstream: name, state: silent ? 'failing' : 'healthy' }
    if (silent) log?.warn(fields, `upstream ${name} does not answer calls`)
    else log?.info(fields, `upstream ${name} answers again`)
  }

  const send: NativeTransport['send'] = async (path, body, options) => {
    // A caller that asks one call after the other would wait for the timeout of each.
    if (isDoubted && !silent) await probe()
    if (silent) throw new NodeSilentError()
    const started = performance.now()
    if (limiter.inFlight() === 0) answeredAt = started
    else if (started - answeredAt > probeTiming.quiet) void probe()
    const waiting = limiter.enter(path, limit / 2, options)
    if (waiting) await waiting
    const asked = performance.now()
    counts.calls++
    try {
      // The time of waiting for a place is no longer available to the call.
      const left = limit - (asked - started)
      const reply = await transport.send(
        path,
        body,
        waiting ? { ...options, timeout: Math.min(left, options.timeout ?? left) } : options,
      )
      const ended = performance.now()
      latency.add(ended - asked)
      // A proxy in front of the node can reject a call without asking the node.
      if (reply.status < 400) quickest.add(ended - asked, ended)
      answeredAt = ended
      if (reply.status === 429) counts.busy++
      fault = reply.status >= 500 ? `it answers HTTP ${reply.status}` : undefined
      hasAnswered = true
      isDoubted = false
      const { isOfClient } = options
      if (isUnserved(reply.status) && !isWrongMethod(reply.status, { body, isOfClient }))
        lacking.add(pathParts(path).operation)
      if (ended - releaseReadAt > RELEASE_LIFETIME) void readRelease()
      return reply
    } catch (error) {
      if (!options.signal?.aborted) counts.failed++
      if (error instanceof NodeUnreachableError) fault = 'it is unreachable'
      isDoubted = error instanceof NodeTimeoutError
      throw error
    } finally {
      limiter.leave()
    }
  }
  function state(): MemberState {
    const reason = silent ? 'it does not answer calls' : fault
    if (reason !== undefined) return { state: 'failing', reason }
    return hasAnswered
      ? { state: 'healthy', reason: undefined }
      : { state: 'starting', reason: 'it has not been reached yet' }
  }

  const guard = createChainGuard({ chain, checker, timeout: limit, transport: { send } })

  return {
    ...guard,
    order: () => [name],
    peers: () => [name],
    sendTo: (_, ...call) => guard.send(...call),
    // It gets calls without a probe.
    probed: async () => {},
    isIdle: () => limiter.inFlight() + limiter.queued() + guard.checking() === 0,
    status(): MemberStatus[] {
      return [
        {
          name,
          clientName: clientNameOf(upstream),
          tier: upstream.tier,
          ...state(),
          head: null,
          solid: null,
          lag: null,
          latency: { p50: round(latency.quantile(0.5)), p95: round(latency.quantile(0.95)) },
          quickest: round(quickest.value()),
          share: state().state === 'healthy' ? 1 : 0,
          quota: round(limiter.used(), 1000),
          ...counts,
          inFlight: limiter.inFlight(),
          queued: limiter.queued(),
          ...releaseOf(release),
          lacks: lacking.list(),
          grpc: transport.grpc(),
        },
      ]
    },
    async close() {
      life.closed = true
      await Promise.all([transport.close(), checker.close(), prober.close()])
    },
  }
}

export declare namespace createSingleUpstream {
  type Options = Omit<createUpstreamPool.Options, 'upstreams' | 'headQuorum' | 'timing'> & {
    upstream: Upstream
    /** Milliseconds without an answer until the node is probed, and the timeout of the probe. */
    probeTiming?: { quiet: number; probe: number }
  }
}
