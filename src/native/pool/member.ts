import { type Call, withSignal } from '../../lib/call.ts'
import { UpstreamError } from '../../lib/errors.ts'
import type { StopSignal } from '../../lib/stopSignal.ts'
import { NodeBusyError } from '../errors.ts'
import { withGrpc } from '../grpc/withGrpc.ts'
import { readGenesis } from '../identity/genesis.ts'
import { confirmAnswer, createIdentity } from '../identity/identity.ts'
import type { ServedChain } from '../identity/servedChain.ts'
import { createCheckTransport } from '../transport/checkTransport.ts'
import { createHttpTransport, type NativePath } from '../transport/transport.ts'
import type { Upstream } from '../upstream.ts'
import { asksForTexts } from '../wire/formats.ts'
import { parseAnswer } from '../wire/parseAnswer.ts'
import { createBreaker } from './breaker.ts'
import { createConcurrency } from './concurrency.ts'
import { createFadingAverage } from './fadingAverage.ts'
import { createLacking, isWrongMethod } from './lacking.ts'
import { createLatency, createQuickest, type Latency } from './latency.ts'
import { createLimiter } from './limiter.ts'
import { outcomeOf, type Outcome } from './outcome.ts'
import type { Timing } from './timing.ts'

/** A block as far as the pool needs it. */
export type Tip = { number: number; hash: string; timestamp: number }

/** One node of the pool with its state and measurements. */
export type Member = ReturnType<typeof createMember>

export type MemberCall = {
  path: NativePath
  operation: string
  body: string | undefined
  kind: 'read' | 'build' | 'send'
  /** What it is made for. */
  asking: Call | undefined
  part?: string | undefined
  /** See `SendOptions`. */
  isOfClient?: boolean | undefined
}

/** What probes and reads of the newest block have found. */
export type Known = {
  head?: Tip
  solid?: Tip
  /** When a call last read its newest block, in monotonic milliseconds. Probes do not count. */
  headReadAt: number
  /** When its newest solidified block was last read, in monotonic milliseconds. */
  solidReadAt: number
  genesis?: string | undefined
  /** When it was last seen on another chain, in monotonic milliseconds. */
  otherChainAt?: number
  /** Whether it has the blocks that the majority reports as solidified; undefined before the first check. */
  onBranch?: boolean
  /** Keeps balances of past blocks. */
  balances?: boolean
  version?: string | undefined
  /** Lowest block that it is known to keep: a pruned node has no older ones. */
  lowest: number
  /** Whether the next probe decides if the node fails: calls were slow, or a probe failed. */
  suspected: boolean
  /** Whether its newest block is on a fork. The router keeps it here, because comparing hashes takes as long as the rest of a choice. */
  fork?: { head: Tip; isOnFork: boolean; shows: number }
  /** Consecutive probes in which the head rose although it is old: the node syncs. */
  rising: boolean
}

export type Counts = { calls: number; failed: number; busy: number; lastBusy: number | undefined }

/** Differences in latency below this many milliseconds hardly count. */
const LATENCY_FLOOR = 5

/** Sockets for probes and for checks of the chain, so that neither waits for the other. */
const PROBE_SOCKETS = 2

/** Checks of the chain are at most this part of the calls that a node with a rate of its own allows. */
const CHECKS = 0.1

/** Milliseconds between two checks of the chain, at least. */
const CHECK_SPACING = 2

/** Calls that were too slow, in a row, before the node is probed. */
const SLOW_IN_A_ROW = 3

export function createMember({
  chain,
  log,
  now = () => performance.now(),
  onCall,
  onSuspect,
  random = Math.random,
  share,
  sockets,
  timing,
  upstream,
}: createMember.Options) {
  const common = {
    headers: upstream.headers,
    timeout: upstream.timeout,
    upstream: upstream.wallet,
    upstreamSolidity: upstream.solidity,
  }
  const http = createHttpTransport({
    ...common,
    onCall,
    // Some places are reserved for probes, so that a node never gets too many calls.
    sockets: Math.max(1, sockets - PROBE_SOCKETS),
    onConnect: () => probe.renew(),
  })
  const probe = createCheckTransport({ ...common, sockets: PROBE_SOCKETS })
  const concurrency = createConcurrency({ most: Math.min(upstream.concurrency, sockets) })
  const limiter = createLimiter({ concurrency, now, rate: upstream.rate, share })
  const breaker = createBreaker({ now, ramp: timing.ramp, rest: timing.rest })
  const latencies = new Map<string, Latency>()
  const all = createLatency()
  const quickest = createQuickest()
  const lacking = createLacking(now)
  const known: Known = {
    headReadAt: Number.NEGATIVE_INFINITY,
    solidReadAt: Number.NEGATIVE_INFINITY,
    lowest: 0,
    suspected: false,
    rising: false,
  }
  const ownSpacing = typeof upstream.rate === 'number' ? 1_000 / (upstream.rate * CHECKS) : 0
  const checks = {
    spacing: Math.max(CHECK_SPACING, ownSpacing),
    // Where checks cost a part of what the node allows, the last one counts until the next one may be made.
    validFor: ownSpacing > CHECK_SPACING ? ownSpacing : 0,
  }
  const identity = createIdentity({
    ...checks,
    expected: () => chain.genesis,
    now,
    onOther(genesis) {
      known.genesis = genesis
      known.otherChainAt = now()
      chain.clearReferences()
      onSuspect()
    },
    read: () => readGenesis(probe, Math.min(timing.probeTimeout, upstream.timeout)),
  })
  const transport = withGrpc(http, {
    address: upstream.grpc,
    isGuess: upstream.isGrpcGuessed,
    expected: () => chain.genesis,
    headers: upstream.headers,
    log,
    name: upstream.name,
    onCall,
    timeout: upstream.timeout,
    ...checks,
  })
  const counts: Counts = { calls: 0, failed: 0, busy: 0, lastBusy: undefined }
  const average = createFadingAverage()
  let checking = 0
  let slowRow = 0

  function latencyOf(operation: string): Latency {
    let latency = latencies.get(operation)
    if (!latency) latencies.set(operation, (latency = createLatency()))
    return latency
  }

  async function ask(
    call: MemberCall,
    maxWait: number,
    signal: StopSignal | undefined,
    timeout?: number,
  ): Promise<Outcome> {
    // A call with effects must never reach another chain.
    if (call.kind === 'send') {
      const fault = await checked(identity.confirm())
      if (fault) return fault.kind === 'failed' ? { ...fault, isUnsent: true } : fault
    }
    const asking = withSignal(call.asking, signal)
    const waiting = limiter.enter(call.path, maxWait, asking)
    if (waiting) await waiting
    counts.calls++
    const started = now()
    let outcome: Outcome
    try {
      const { path } = call
      const reply = await transport.send(path, call.body, {
        ...asking,
        idempotent: false,
        part: call.part,
        timeout,
      })
      const check = () => signal?.throwIfAborted()
      const read = 'parsed' in reply ? reply.parsed : parseAnswer(reply.text, { check })
      const parsed = read instanceof Promise ? await read : read
      // Only clients write queries.
      const areTexts = call.isOfClient === true && asksForTexts(path)
      outcome = outcomeOf(call.operation, reply, parsed, areTexts)
      if (outcome.kind === 'failed' && outcome.isOfText) return outcome
      // Otherwise one client could take the node out of use for all: with JSON that the node fails at, or with a GET of an operation
      // that takes only POST, which gets nothing or HTTP 405.
      if (call.isOfClient && reply.status < 500) {
        if (outcome.kind === 'failed') return { ...outcome, isOfText: true }
        if (isWrongMethod(reply.status, call)) return outcome
      }
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      outcome = { kind: 'failed', error }
    } finally {
      limiter.leave()
    }
    if (outcome.kind === 'answer' || outcome.kind === 'unknown') {
      const check = confirmAnswer({ chain, identity }, call.body, outcome.reply)
      if (check) outcome = (await checked(check)) ?? outcome
    }
    note(call, outcome, started)
    return outcome
  }

  /** Why the answer of the node cannot be used; undefined when it serves the right chain. */
  async function checked(
    check: Promise<void> | undefined,
  ): Promise<Extract<Outcome, { error: unknown }> | undefined> {
    checking++
    try {
      await check
      return undefined
    } catch (error) {
      if (error instanceof NodeBusyError) return { kind: 'busy', error }
      if (error instanceof UpstreamError) return { kind: 'failed', error }
      throw error
    } finally {
      checking--
    }
  }

  function note({ operation, path }: MemberCall, outcome: Outcome, started: number): void {
    const time = now()
    const took = time - started
    switch (outcome.kind) {
      case 'answer':
      case 'unknown':
        slowRow = 0
        average.add(took, time)
        latencyOf(operation).add(took)
        all.add(took)
        quickest.add(took, time)
        concurrency.observe(took, limiter.inFlight() + 1)
        breaker.succeed()
        return
      case 'lacks':
        lacking.add(operation)
        breaker.succeed()
        return
      case 'busy':
        counts.busy++
        counts.lastBusy = time
        limiter.slowDown(path)
        concurrency.overload()
        return
      case 'failed':
        counts.failed++
        breaker.fail(outcome.error.message)
    }
  }

  return {
    upstream,
    /**
     * One call. Waits for a place first.
     *
     * @param maxWait - milliseconds to wait for a place at most.
     * @param timeout - milliseconds for the call itself, where that is less than the node's own.
     * @throws QueueFullError, or the signal's reason. A failure of the node is an outcome, not an error.
     */
    ask,
    breaker,
    /** Which chain it serves. */
    identity,
    /** The results of its probes. The prober and the reader of heads change them; the router changes `fork`. */
    known,
    limiter,
    /** Sends probes: without limits and counts, over sockets of its own. */
    probe,
    /** Milliseconds that a part of the recent calls stayed below; undefined without a call. */
    latency: (part: number) => all.quantile(part),
    /** Milliseconds of the quickest call of the last minutes; undefined without one. */
    quickest: () => quickest.value(),
    /** Milliseconds that nearly all calls of an operation stay below; undefined while too few were made. */
    p95: (operation: string) => latencies.get(operation)?.p95(),
    /** Marks a call that another node had to answer because this one took too long. */
    slow() {
      if (++slowRow < SLOW_IN_A_ROW || known.suspected) return
      slowRow = 0
      known.suspected = true
      onSuspect()
    },
    /** How much a call would burden this node: lower is better. @param time - now, in monotonic milliseconds */
    // Random within a factor of three, so that nodes with about the same load share the calls.
    load: (time: number) =>
      ((average.value(time) + LATENCY_FLOOR) *
        (limiter.inFlight() + limiter.queued() + 1) *
        (0.5 + random())) /
      upstream.weight,
    /** Whether it offers an operation: true until a call has shown that it does not. */
    offers: (operation: string) => !lacking.has(operation),
    /** The operations that it does not offer, as far as calls have shown. */
    lacks: () => lacking.list(),
    counts: () => counts,
    /** The state of its gRPC interface; undefined without one. */
    grpc: () => transport.grpc(),
    /** Whether no call of a client is in flight. */
    isIdle: () => limiter.inFlight() + limiter.queued() + checking === 0,
    async close() {
      await Promise.all([transport.close(), probe.close()])
    },
  }
}

export declare namespace createMember {
  type Options = {
    upstream: Upstream
    /** @default silent */
    log?: withGrpc.Options['log']
    /** See `createLimiter`. */
    share: createLimiter.Options['share']
    /** Sockets for each port of the node. */
    sockets: number
    onCall: createHttpTransport.Options['onCall']
    timing: Timing
    /** The known blocks of the served chain. */
    chain: ServedChain
    /** Called when the node should be probed now. */
    onSuspect: () => void
    /** Milliseconds. @default performance.now */
    now?: () => number
    /** @default Math.random */
    random?: () => number
  }
}
