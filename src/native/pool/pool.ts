import type { Call } from '../../lib/call.ts'
import { UpstreamError } from '../../lib/errors.ts'
import { sleep } from '../../lib/sleep.ts'
import type { StopSignal } from '../../lib/stopSignal.ts'
import { within } from '../../lib/within.ts'
import { NodeTimeoutError } from '../errors.ts'
import { createServedChain, type ServedBlocks } from '../identity/servedChain.ts'
import type {
  CallObserver,
  NativePath,
  NativeReply,
  NativeTransport,
  SendOptions,
} from '../transport/transport.ts'
import { isSameUpstream, type Upstream } from '../upstream.ts'
import type { BroadcastResult } from '../wire/accountTypes.ts'
import { BROADCASTS, broadcastInTurn } from './broadcast.ts'
import { createBudget, HEDGES, RETRIES } from './budget.ts'
import { drained } from './drained.ts'
import { createFloorWait } from './floorWait.ts'
import { majorityOf } from './headChoice.ts'
import { createHeadReader } from './headReader.ts'
import { queryOf } from './immutable.ts'
import { createMember, type Member } from './member.ts'
import type { MemberState } from './memberState.ts'
import { type MemberStatus, statusOf } from './memberStatus.ts'
import { needOf } from './need.ts'
import { isNothing } from './outcome.ts'
import { pathParts } from './pathParts.ts'
import { createPoolStates, highestOf, type PoolLog } from './poolStates.ts'
import { createProber, type Prober } from './prober.ts'
import { createRace, type Extra, type RaceCall } from './race.ts'
import { createRouter } from './router.ts'
import { type Timing, TIMING } from './timing.ts'

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
  /** Names of the nodes that serve this chain, as far as is known, in the order of the configuration. */
  peers(): string[]
  /**
   * Makes a read on one node, which is not replaced by another one.
   *
   * @throws UpstreamError when the node gets no calls now, or gives no answer in two seconds
   */
  sendTo(
    name: string,
    path: NativePath,
    body: string | undefined,
    options: SendOptions,
  ): Promise<NativeReply>
  /** Resolves when a node serves the right chain now. @throws OtherChainError, or the error of the node */
  confirm(name: string): Promise<void>
  /** Resolves when each node was probed once, or the time for that is over. */
  probed(): Promise<void>
  /** Whether no call is in flight. */
  isIdle(): boolean
  /** Replaces the nodes. Calls in flight to removed nodes finish. */
  update(upstreams: readonly Upstream[]): Promise<void>
}

/** Milliseconds that the first calls wait for the first probe of all nodes. */
const START_TIMEOUT = 2_000

/** Milliseconds for a read on one certain node. */
const ONE_NODE_TIMEOUT = 2_000

export function createUpstreamPool({
  headQuorum = 1,
  log = silent,
  on = {},
  share,
  sockets = 40,
  timeout = 10_000,
  timing = TIMING,
  upstreams,
}: createUpstreamPool.Options): UpstreamPool {
  let nodes: PoolNode[] = []
  const chain = createServedChain()
  let closed = false
  let memberList: Member[] = []
  const members = () => memberList
  const router = createRouter({ chain, members })
  const heads = createHeadReader({
    isSameChain: ({ known }) => known.genesis !== undefined && known.genesis === chain.genesis,
    isUsable: router.isUsable,
    members,
    served: (number) => chain.hashAt(number),
    shownHead: () => chain.head,
    onRisen: () => floorWait.recheck(),
    quorum: headQuorum,
  })
  const states = createPoolStates({ chain, log, members })
  const floorWait = createFloorWait({
    chain,
    highest: () => highestOf(members().filter(router.isUsable)),
    nodes: () => nodes,
    router,
    stateNow: (member) => states.of(member),
  })
  const race = createRace({
    choose: router.choose,
    hedges: createBudget(HEDGES),
    retries: createBudget(RETRIES),
    timeout,
    onExtra: on.extra,
  })

  /** The timeout of one call is at most that of all attempts together. */
  function bounded(upstream: Upstream): Upstream {
    return { ...upstream, timeout: Math.min(upstream.timeout, timeout) }
  }

  function setNodes(next: PoolNode[]): void {
    nodes = next
    memberList = next.map(({ member }) => member)
  }

  function createNode(upstream: Upstream): PoolNode {
    const { call } = on
    const member = createMember({
      onCall: call && ((path, asking) => call(upstream.name, path, asking)),
      chain,
      log,
      onSuspect: () => void prober.probe(),
      share,
      sockets,
      timing,
      upstream,
    })
    const prober = createProber({
      member,
      timing,
      expected: () => chain.genesis,
      onFound: () => onProbed(),
      isBehind: () =>
        (member.known.head?.number ?? 0) < chain.head ||
        (member.known.solid?.number ?? 0) < chain.solid,
      onlyOne: () => !members().some((other) => other !== member && router.isUsable(other)),
    })
    return { member, prober }
  }

  /** Runs after each probe: decides the chain, compares the branches, and logs changes of state. */
  function onProbed(): void {
    if (closed) return
    chain.genesis ??= decideGenesis()
    if (members().some(servesOtherChain)) chain.clearReferences()
    void heads.checkBranches()
    floorWait.recheck()
    states.report()
  }

  function servesOtherChain({ known }: Member): boolean {
    return known.genesis !== undefined && known.genesis !== chain.genesis
  }

  /** The majority of the nodes, once every node was probed or the start time is over; undefined before. */
  function decideGenesis(): string | undefined {
    const hashes = members().map(({ known }) => known.genesis)
    return hashes.includes(undefined) && !isStartOver
      ? undefined
      : majorityOf(hashes.filter((hash) => hash !== undefined))
  }

  let isStartOver = false
  const started = (async () => {
    await Promise.resolve()
    const first = nodes.map(({ prober }) => prober.start())
    await Promise.race([Promise.allSettled(first), pause(START_TIMEOUT)])
    isStartOver = true
    onProbed()
  })()
  setNodes(upstreams.map(bounded).map(createNode))

  function send(
    path: NativePath,
    body: string | undefined,
    options: SendOptions,
  ): Promise<NativeReply> {
    // No node gets calls before its first probe.
    return isStartOver
      ? sendNow(path, body, options)
      : started.then(() => sendNow(path, body, options))
  }

  function sendNow(
    path: NativePath,
    body: string | undefined,
    options: SendOptions,
  ): Promise<NativeReply> {
    const { belowFloor, group, idempotent, isOfClient, part, signal } = options
    const kind = options.kind ?? (idempotent ? 'read' : 'send')
    const { operation, solid } = pathParts(path)
    const need = needOf(operation, solid, kind, body ?? queryOf(path))
    const asking = options
    const call: RaceCall = { asking, body, group, isOfClient, kind, need, operation, part, path }
    if (need.kind === 'head') return heads.read(call, need.solid, signal)
    const first = router.choose(call)
    if (first) return ask(call, first, signal)
    const lower = () => highestUsable(call)
    if (need.kind === 'lookup') return lookUpBelow(call, signal, lower())
    return askLater(call, signal, () => (belowFloor ? lower() : undefined))
  }

  /**
   * Waits until some node can answer.
   *
   * @param fallback - the node to ask when none can in time.
   * @throws UpstreamError when there is none either
   */
  async function askLater(
    call: RaceCall,
    signal: StopSignal | undefined,
    fallback: () => Member | undefined,
  ): Promise<NativeReply> {
    const first = await floorWait.wait(call, signal).catch((error: unknown) => {
      const lower = signal?.aborted ? undefined : fallback()
      if (lower) return lower
      throw error
    })
    return ask(call, first, signal)
  }

  /** Asks a node below the floor. It may lack the object only because it lacks its block, so an empty answer does not count. */
  async function lookUpBelow(call: RaceCall, signal: StopSignal | undefined, lower?: Member) {
    const reply = lower && (await ask(call, lower, signal).catch(() => undefined))
    return reply && !isNothing(reply.parsed) ? reply : askLater(call, signal, () => undefined)
  }

  /** A node that may get calls and has the highest block of these. */
  function highestUsable(call: RaceCall): Member | undefined {
    const usable = members().filter(router.isUsable)
    const head = highestOf(usable)
    const lower = usable.filter(({ known }) => (known.head?.number ?? 0) < head)
    return router.choose({ ...call, need: { kind: 'head', solid: false } }, lower)
  }

  function ask(
    call: RaceCall,
    first: Member,
    signal: StopSignal | undefined,
  ): Promise<NativeReply> {
    if (call.kind !== 'send') return race.run(call, first, signal)
    const isShared = BROADCASTS.has(call.operation)
    const next = (tried: readonly Member[]) => (isShared ? router.choose(call, tried) : undefined)
    const mayAccept = (member: Member) =>
      member.known.genesis === chain.genesis && member.known.onBranch !== false
    const last = (tried: readonly Member[]) =>
      isShared
        ? members().find((member) => !tried.includes(member) && mayAccept(member))
        : undefined
    const onRefusal = (member: Member, answer: BroadcastResult) =>
      on.refused?.(call.asking, member.upstream.name, answer)
    return broadcastInTurn(call, { first, last, next, onRefusal, signal, timeout })
  }

  async function sendTo(
    name: string,
    path: NativePath,
    body: string | undefined,
    asking: SendOptions,
  ): Promise<NativeReply> {
    const { part, signal } = asking
    await started
    const member = members().find(({ upstream }) => upstream.name === name)
    const known = member && states.of(member)
    if (!member || !known || UNREACHED.has(known.state))
      throw new UpstreamError(known?.reason ?? 'it is no longer used')
    const { operation } = pathParts(path)
    const time = Math.min(timeout, ONE_NODE_TIMEOUT)
    const outcome = await within(
      member.ask({ asking, body, kind: 'read', operation, part, path }, time, signal, time),
      time,
      () => new NodeTimeoutError(time),
      signal,
    )
    if ('reply' in outcome) return outcome.reply
    throw outcome.error
  }

  return {
    send,
    expect(genesis) {
      chain.genesis = genesis
      onProbed()
    },
    setFloor(next) {
      const rises = next.head > chain.head || next.solid > chain.solid
      chain.show(next)
      if (rises) floorWait.probeBehind()
    },
    status() {
      const total = members().reduce((sum, member) => sum + member.counts().calls, 0)
      const head = states.highest()
      const served = { genesis: chain.genesis, head, total }
      return members().map((member) => statusOf(member, states.of(member), served))
    },
    order() {
      const route = { need: STATE, operation: '', path: '' }
      const chosen: Member[] = []
      for (let next = router.choose(route, chosen); next; next = router.choose(route, chosen))
        chosen.push(next)
      return chosen.map(({ upstream }) => upstream.name)
    },
    peers: () =>
      members()
        .filter((member) => !ELSEWHERE.has(states.of(member).state))
        .map(({ upstream }) => upstream.name),
    sendTo,
    async confirm(name) {
      const member = members().find(({ upstream }) => upstream.name === name)
      member?.identity.refresh()
      await member?.identity.confirm()
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
            nodes.find(({ member }) => isSameUpstream(member.upstream, upstream)) ??
            createNode(upstream),
        )
      const removed = nodes.filter((node) => !kept.includes(node))
      const added = kept.filter((node) => !nodes.includes(node))
      // A new node gets calls of clients after its first probe, so the old nodes stay until then.
      await Promise.race([
        Promise.allSettled(added.map(({ prober }) => prober.start())),
        pause(START_TIMEOUT),
      ])
      // It was closed meanwhile.
      if (closed) return closeAll(added)
      setNodes(kept)
      onProbed()
      for (const { member, prober } of removed) {
        prober.stop()
        void drained(member, timeout).then(() => member.close())
      }
    },
    close() {
      closed = true
      return closeAll(nodes)
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
    on?: {
      /** Called when a call to a node begins. */
      call?: (upstream: string, path: NativePath, call: Call) => CallObserver
      /** Called when a call is sent to an additional node. */
      extra?: (why: Extra) => void
      /** Called when a node refused a signed transaction. */
      refused?: (call: Call | undefined, upstream: string, answer: BroadcastResult) => void
    }
    /** Part of the rates of all nodes that this process may use now. @default 1 */
    share?: (() => number) | undefined
    /** Sockets for each port of a node. @default 40 */
    sockets?: number
    /** Milliseconds for one call, however many nodes are asked. @default 10_000 */
    timeout?: number
    /** @default TIMING */
    timing?: Timing
  }
}

async function closeAll(nodes: readonly PoolNode[]): Promise<void> {
  for (const { prober } of nodes) prober.stop()
  await Promise.all(nodes.map(({ member }) => member.close()))
}

const silent: PoolLog = { info() {}, warn() {} }

type PoolNode = { member: Member; prober: Prober }

/** States of nodes that serve another chain or branch, and of those that get no calls for another reason. */
const ELSEWHERE = new Set<MemberState['state']>(['wrong chain', 'other branch'])
const UNREACHED = new Set<MemberState['state']>([...ELSEWHERE, 'failing', 'starting'])

const STATE = { kind: 'state', solid: false } as const

const pause = (milliseconds: number) => sleep(milliseconds, undefined, { ref: false })
