import { callGroupOf } from '../../lib/callGroup.ts'
import { sleep } from '../../lib/sleep.ts'
import type { StopSignal } from '../../lib/stopSignal.ts'
import type {
  CallObserver,
  NativePath,
  NativeReply,
  NativeTransport,
  SendOptions,
} from '../transport.ts'
import { BROADCASTS, broadcastInTurn } from './broadcast.ts'
import { createBudget, HEDGES, RETRIES } from './budget.ts'
import { drained } from './drained.ts'
import { createFloorWait } from './floorWait.ts'
import { majorityOf } from './headChoice.ts'
import { createHeadReader } from './headReader.ts'
import { queryOf } from './immutable.ts'
import { createMember, type Member } from './member.ts'
import { type MemberState, stateOf } from './memberState.ts'
import { type MemberStatus, statusOf } from './memberStatus.ts'
import { needOf } from './need.ts'
import { createProber, type Prober } from './prober.ts'
import { createRace, type Extra, type RaceCall } from './race.ts'
import { createRouter } from './router.ts'
import { createServedChain, type ServedBlocks } from './servedChain.ts'
import { type Timing, TIMING } from './timing.ts'
import type { Upstream } from './upstream.ts'

/** Several nodes that look like one. */
export type UpstreamPool = NativeTransport & {
  /** Sets the chain that is served by the hash of its block 0, where it is known already. */
  expect(genesis: string): void
  /** Sets the newest blocks that clients have seen: reads of the newest state go only to nodes that have them. */
  setFloor(floor: ServedBlocks): void
  /** Nodes in the order of the configuration. */
  status(): MemberStatus[]
  /** Names of the nodes that have the newest state that clients were shown, best first. */
  order(): string[]
  /** Resolves when a node serves the right chain now. @throws OtherChainError, or why it cannot be asked */
  confirm(name: string): Promise<void>
  /** Resolves when each node was probed once, or the time for that is over. */
  probed(): Promise<void>
  /** Whether no call is in flight. */
  isIdle(): boolean
  /** Replaces the nodes. Calls in flight to removed nodes finish. */
  update(upstreams: readonly Upstream[]): Promise<void>
}

/** Milliseconds that the first calls wait for the first probe of all nodes. */
const START_PATIENCE = 2_000

export function createUpstreamPool({
  headQuorum = 1,
  log = silent,
  onCall,
  onExtra,
  sockets = 40,
  timeout = 10_000,
  timing = TIMING,
  upstreams,
}: createUpstreamPool.Options): UpstreamPool {
  const now = () => performance.now()
  let seats: Seat[] = []
  const chain = createServedChain()
  const known = new Map<NativePath, PathParts>()
  let closed = false
  let asked: Member[] = []
  const members = () => asked
  const router = createRouter({
    floor: { head: () => chain.head, solid: () => chain.solid },
    genesis: () => chain.genesis,
    members,
  })
  const heads = createHeadReader({
    isSameChain: ({ known }) => known.genesis !== undefined && known.genesis === chain.genesis,
    isUsable: router.isUsable,
    members,
    served: (number) => chain.hashAt(number),
    onRisen: () => floorWait.tell(),
    quorum: headQuorum,
  })
  const floorWait = createFloorWait({ chain, highest, router, seats: () => seats, stateNow })
  const race = createRace({
    choose: router.choose,
    hedges: createBudget(HEDGES),
    retries: createBudget(RETRIES),
    timeout,
    ...(onExtra && { onExtra: (why: Extra) => onExtra(why) }),
  })

  /** The timeout of one call is at most that of all attempts together. */
  function bounded(upstream: Upstream): Upstream {
    return { ...upstream, timeout: Math.min(upstream.timeout, timeout) }
  }

  function sit(next: Seat[]): void {
    seats = next
    asked = next.map(({ member }) => member)
  }

  function seatOf(upstream: Upstream): Seat {
    const member = createMember({
      ...(onCall && {
        onCall: (path: NativePath, caller?: object) => onCall(upstream.name, path, caller),
      }),
      chain,
      log,
      onSuspect: () => void prober.probe(),
      sockets,
      timing,
      upstream,
    })
    const prober = createProber({
      member,
      timing,
      expected: () => chain.genesis,
      onFound: () => found(),
      isBehind: () =>
        (member.known.head?.number ?? 0) < chain.head ||
        (member.known.solid?.number ?? 0) < chain.solid,
      onlyOne: () => !members().some((other) => other !== member && router.isUsable(other)),
    })
    return { member, prober, state: { state: 'starting', reason: undefined } }
  }

  /** After each probe: which chain it is, who is on it, what has changed. */
  function found(): void {
    if (closed) return
    chain.genesis ??= decideGenesis()
    if (members().some(isOfOtherChain)) chain.forgetReferences()
    void heads.checkBranches()
    floorWait.tell()
    report()
  }

  function isOfOtherChain({ known }: Member): boolean {
    return known.genesis !== undefined && known.genesis !== chain.genesis
  }

  /** The majority of the nodes, once every node was probed or the start time is over; undefined before. */
  function decideGenesis(): string | undefined {
    const told = members().map(({ known }) => known.genesis)
    return told.includes(undefined) && !graceOver ? undefined : majorityOf(told.filter(isText))
  }

  function report(): void {
    for (const seat of seats) {
      const state = stateNow(seat.member)
      const last = seat.state.state
      seat.state = state
      if (state.state === last || (last === 'starting' && state.state === 'healthy')) continue
      const { name } = seat.member.upstream
      const fields = { upstream: name, state: state.state, reason: state.reason }
      if (state.state === 'healthy') log.info(fields, `upstream ${name} is healthy`)
      else log.warn(fields, `upstream ${name} is ${state.state}: ${state.reason}`)
    }
  }

  function highest(): number {
    return Math.max(
      0,
      ...members()
        .filter(({ known }) => known.genesis === chain.genesis)
        .map(({ known }) => known.head?.number ?? 0),
    )
  }

  function stateNow(member: Member): MemberState {
    return stateOf(member, {
      genesis: chain.genesis,
      head: highest(),
      now: now(),
      wallTime: Date.now(),
    })
  }

  let graceOver = false
  const started = (async () => {
    await Promise.resolve()
    const first = seats.map(({ prober }) => prober.start())
    await Promise.race([Promise.allSettled(first), pause(START_PATIENCE)])
    graceOver = true
    found()
  })()
  sit(upstreams.map(bounded).map(seatOf))

  function send(
    path: NativePath,
    body: string | undefined,
    options: SendOptions,
  ): Promise<NativeReply> {
    if (chain.genesis === undefined) return started.then(() => sendNow(path, body, options))
    return sendNow(path, body, options)
  }

  function sendNow(
    path: NativePath,
    body: string | undefined,
    { caller, idempotent, kind = idempotent ? 'read' : 'send', part, signal }: SendOptions,
  ): Promise<NativeReply> {
    const { operation, solid } = partsOf(path)
    const need = needOf(operation, solid, kind, body ?? queryOf(path))
    const group = callGroupOf(caller)
    const call: RaceCall = { body, caller, group, kind, need, operation, part, path }
    if (need.kind === 'head') return heads.read(call, need.solid, signal)
    const first = router.choose(call)
    return first ? ask(call, first, signal) : askLater(call, signal)
  }

  /** Waits until some node can answer. @throws UpstreamError when none can in time */
  async function askLater(call: RaceCall, signal: StopSignal | undefined): Promise<NativeReply> {
    return ask(call, await floorWait.wait(call, signal), signal)
  }

  function partsOf(path: NativePath): PathParts {
    let parts = known.get(path)
    if (!parts) {
      parts = pathParts(path)
      // Without a query, there are only as many paths as operations.
      if (!path.includes('?')) known.set(path, parts)
    }
    return parts
  }

  function ask(
    call: RaceCall,
    first: Member,
    signal: StopSignal | undefined,
  ): Promise<NativeReply> {
    if (call.kind !== 'send') return race.run(call, first, signal)
    const isShared = BROADCASTS.has(call.operation)
    const next = (tried: readonly Member[]) => (isShared ? router.choose(call, tried) : undefined)
    return broadcastInTurn(call, { first, next, signal, timeout })
  }

  return {
    send,
    expect(genesis) {
      chain.genesis = genesis
      found()
    },
    setFloor(next) {
      const rises = next.head > chain.head || next.solid > chain.solid
      chain.show(next)
      if (rises) floorWait.hurry()
    },
    status() {
      const total = members().reduce((sum, member) => sum + member.counts().calls, 0)
      const head = highest()
      const served = { genesis: chain.genesis, head, total }
      return members().map((member) => statusOf(member, stateNow(member), served))
    },
    order() {
      const route = { need: STATE, operation: '', path: '' }
      const chosen: Member[] = []
      for (let next = router.choose(route, chosen); next; next = router.choose(route, chosen))
        chosen.push(next)
      return chosen.map(({ upstream }) => upstream.name)
    },
    async confirm(name) {
      await members()
        .find(({ upstream }) => upstream.name === name)
        ?.identity.confirm()
    },
    probed: () => started,
    isIdle: () =>
      race.inFlight() === 0 &&
      floorWait.waiting() === 0 &&
      members().every((member) => member.isIdle()),
    async update(next) {
      const kept = next
        .map(bounded)
        .map(
          (upstream) =>
            seats.find(({ member }) => isSame(member.upstream, upstream)) ?? seatOf(upstream),
        )
      const gone = seats.filter((seat) => !kept.includes(seat))
      const fresh = kept.filter((seat) => !seats.includes(seat))
      // A new node gets calls of clients after its first probe, so the old nodes stay until then.
      await Promise.race([
        Promise.allSettled(fresh.map(({ prober }) => prober.start())),
        pause(START_PATIENCE),
      ])
      sit(kept)
      found()
      for (const { member, prober } of gone) {
        prober.stop()
        void drained(member, timeout).then(() => member.close())
      }
    },
    async close() {
      closed = true
      for (const { prober } of seats) prober.stop()
      await Promise.all(seats.map(({ member }) => member.close()))
    },
  }
}

export declare namespace createUpstreamPool {
  type Options = {
    upstreams: readonly Upstream[]
    /** Nodes that must have a block before it is the newest one. @default 1 */
    headQuorum?: number
    /** Logs state changes of nodes. @default silent */
    log?: PoolLog
    /** Called when a call to a node begins. @param caller - see `SendOptions` */
    onCall?: (upstream: string, path: NativePath, caller: object | undefined) => CallObserver
    /** Called when a call is sent to an additional node. */
    onExtra?: (why: Extra) => void
    /** Sockets for each port of a node. @default 40 */
    sockets?: number
    /** Milliseconds for one call, however many nodes are asked. @default 10_000 */
    timeout?: number
    /** @default TIMING */
    timing?: Timing
  }
}

/** The logger of state changes, such as pino. */
export type PoolLog = Record<'info' | 'warn', (fields: object, message: string) => void>

const silent: PoolLog = { info() {}, warn() {} }

type Seat = { member: Member; prober: Prober; state: MemberState }

type PathParts = { operation: string; solid: boolean }

function pathParts(path: NativePath): PathParts {
  const query = path.indexOf('?')
  return {
    operation: path.slice(path.indexOf('/', 1) + 1, query === -1 ? undefined : query),
    solid: path.startsWith('/walletsolidity/'),
  }
}

const STATE = { kind: 'state', solid: false } as const

function isSame(left: Upstream, right: Upstream): boolean {
  return JSON.stringify(left) === JSON.stringify(right)
}

const pause = (milliseconds: number) => sleep(milliseconds, undefined, { ref: false })

function isText(value: string | undefined): value is string {
  return value !== undefined
}
