import { whenLate } from '../../lib/within.ts'
import { hasBalancesOf, missingSolidity, readVersion } from '../capabilities.ts'
import { createNodeClient, type NativeClient } from '../client.ts'
import type { Block } from '../wire/types.ts'
import type { Member, Tip } from './member.ts'
import type { Timing } from './timing.ts'

/** Probes one node at an interval, except while calls read its newest blocks. */
export type Prober = ReturnType<typeof createProber>

/** Milliseconds between probes of a node that has not shown the newest block yet, and how many such probes there are. */
const LATE = 100
const LATE_PROBES = 20

/** Milliseconds for which a node must have been on the right chain alone after it was seen on another one. */
const PROBATION = 3_000

/** Intervals between two reads of the solidified block, and between two checks of the capabilities. */
const SOLID_EVERY = 4
const FEATURES_EVERY = 120

/** Intervals for which a call that read the newest block is as good as a probe. */
const READ_COUNTS = 2

export function createProber({
  expected,
  isBehind,
  member,
  onFound,
  onlyOne,
  timing,
}: createProber.Options) {
  const native = createNodeClient({ transport: member.probe, sleep: async () => {} })
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let stopped = true
  let round = 0
  let late = 0

  async function look(): Promise<void> {
    const { breaker, known, upstream } = member
    const troubled = breaker.state() === 'open' || known.suspected
    const first = known.genesis === undefined
    const limit = Math.min(timing.probeTimeout, upstream.timeout)
    const began = performance.now()
    const needsFeatures = first || troubled || round % FEATURES_EVERY === 0
    if (!needsFeatures && isShownByCalls()) {
      round++
      return onFound()
    }
    try {
      // The genesis block is read each time, because a load balancer in front may lead to another node now.
      const [head, genesis] = await within(limit, (signal) =>
        Promise.all([
          native.wallet.getBlock({}, { signal }),
          native.wallet.getBlock({ id_or_num: '0' }, { signal }),
        ]),
      )
      if (!head) throw new Error('the node has no block')
      noteGenesis(genesis?.blockID, began)
      const tip = toTip(head)
      known.rising = known.head !== undefined && tip.number > known.head.number
      known.head = tip
      if (first || troubled || late > 0 || !isSolidFresh()) await lookAtSolid(native, member, limit)
      if (needsFeatures) await lookAtFeatures(native, member, limit)
      round++
      known.suspected = false
      breaker.probed(onlyOne())
    } catch (error) {
      // One failed probe is not enough if calls of the node succeed. The next probe, sent at once, decides.
      if (troubled || first) breaker.trip((error as Error).message)
      known.suspected = !troubled && !first
    }
    onFound()
  }

  /**
   * Whether calls have just read its newest blocks. The pool has confirmed the chain of their answers, so a probe would find the
   * same.
   */
  function isShownByCalls(): boolean {
    const { breaker, known } = member
    return (
      known.genesis === expected() &&
      breaker.state() === 'closed' &&
      !isBehind() &&
      known.headReadAt > performance.now() - READ_COUNTS * timing.probe &&
      isSolidFresh()
    )
  }

  const isSolidFresh = () =>
    member.known.solidReadAt > performance.now() - SOLID_EVERY * timing.probe

  function noteGenesis(genesis: string | undefined, began: number): void {
    const { identity, known } = member
    const right = expected()
    if (genesis !== undefined && genesis === right) {
      // A load balancer that mixes nodes of two chains sometimes leads to the right one.
      if (began - (known.otherChainAt ?? Number.NEGATIVE_INFINITY) < PROBATION) return
      identity.seen(began)
    } else if (right !== undefined) known.otherChainAt = began
    known.genesis = genesis
  }

  function pauseNow(): number {
    if (member.known.suspected) return 0
    if (member.breaker.state() === 'open') return timing.troubledProbe
    late = isBehind() ? late + 1 : 0
    return late > 0 && late <= LATE_PROBES ? LATE : timing.probe
  }

  function schedule(): void {
    if (stopped) return
    timer = setTimeout(() => void probe(), pauseNow())
  }

  function probe(): Promise<void> {
    clearTimeout(timer)
    running ??= look().finally(() => {
      running = undefined
      schedule()
    })
    return running
  }

  return {
    /** Resolves after the first probe. */
    start() {
      stopped = false
      return probe()
    },
    /** Probes now: something looks wrong, or other nodes have a new block. Resolves when the probe is over. */
    probe,
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}

export declare namespace createProber {
  type Options = {
    member: Member
    timing: Timing
    /** Hash of block 0 of the chain that is served; undefined until it is known. */
    expected: () => string | undefined
    /** Whether other nodes have shown a newer block than this one. */
    isBehind: () => boolean
    /** Called after each probe. */
    onFound: () => void
    /** Whether no other node is usable. If so, a node that recovers gets all calls at once. */
    onlyOne: () => boolean
  }
}

/** Number, hash and time of a native block. */
export function toTip({ blockID, block_header }: Block): Tip {
  // A client may ask for integers as texts, see `asksForTexts`.
  const { number = 0, timestamp = 0 } = block_header.raw_data as MaybeTexts
  return { number: Number(number), hash: blockID, timestamp: Number(timestamp) }
}

type MaybeTexts = { number?: number | string; timestamp?: number | string }

async function lookAtSolid(
  native: NativeClient,
  { known, upstream }: Member,
  limit: number,
): Promise<void> {
  const solid = await within(limit, (signal) => native.solidity.getBlock({}, { signal })).catch(
    (error: unknown) => {
      throw missingSolidity(error, upstream.wallet) ?? error
    },
  )
  known.solidReadAt = performance.now()
  if (solid) known.solid = toTip(solid)
}

async function lookAtFeatures(
  native: NativeClient,
  { known }: Member,
  limit: number,
): Promise<void> {
  const { head } = known
  // A node that does not answer these can still serve calls.
  if (head)
    known.balances = await within(limit, (signal) => hasBalancesOf(native, head, { signal })).catch(
      () => known.balances ?? false,
    )
  known.version = await within(limit, (signal) => readVersion(native, { signal })).catch(
    () => known.version,
  )
}

async function within<value>(
  milliseconds: number,
  ask: (signal: AbortSignal) => Promise<value>,
): Promise<value> {
  const controller = new AbortController()
  const timer = whenLate(
    () => controller.abort(new Error(`a probe had no answer within ${milliseconds} ms`)),
    milliseconds,
  )
  try {
    return await ask(controller.signal)
  } finally {
    clearTimeout(timer)
  }
}
