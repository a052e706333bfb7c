import { createStop, type Stop, type StopSignal } from '../../lib/stopSignal.ts'
import { NodeBusyError, NodeTimeoutError, OtherChainError } from '../errors.ts'
import { createDueList, type DueEntry } from '../transport/due.ts'
import type { NativeReply } from '../transport/transport.ts'
import type { Budget } from './budget.ts'
import type { Member, MemberCall } from './member.ts'
import type { Need } from './need.ts'
import type { Outcome } from './outcome.ts'

export type RaceCall = MemberCall & {
  need: Need
  /** What the call belongs to: reads of the newest state for one group go to one node. */
  group: object | undefined
}

/** Why one more node was asked; for metrics. */
export type Extra = 'failover' | 'hedge' | 'confirm' | 'busy'

/** Milliseconds below which no second node is asked while the first may still answer. */
const LEAST_HEDGE = 10

/** A node that needs this many times its 95th percentile is not waited for alone any more. */
const SLOW_TIMES = 4

/** Milliseconds below which no node is much slower. */
const LEAST_SLOW = 250

/** Milliseconds after which a node whose 95th percentile is unknown is much slower. */
const UNKNOWN_SLOW = 1_000

/**
 * Milliseconds after which a call that lost the race is cancelled. A cancelled call loses its connection, and opening a new one
 * costs more than reading a small answer.
 */
const LINGER = 100

/** Milliseconds between two attempts to find another node for a call whose node is much slower than its 95th percentile. */
const CHECK_AGAIN = 250

/** Milliseconds for which a second node may confirm that something does not exist. */
const CONFIRM_WAIT = 1_000

/** Pauses before nodes that were all over their rate limit are asked again, milliseconds. */
const BUSY_PAUSES = [100, 200, 400]

/**
 * Calls one node, and others when the first fails or is slow, until one gives an answer.
 *
 * - An answer ends the race; calls still in flight are cancelled soon.
 * - `{}` or `[]` is confirmed by a second node, whose answer counts. Where the second node does not answer in time, the first answer
 *   counts.
 * - A failure or a rate limit is retried at another node at once, while the retry budget lasts. When all nodes limit the
 *   rate, they are called again after a pause, from the same budget.
 * - A call that takes longer than the 95th percentile of its node is sent to a second node too, while the hedge budget lasts. The
 *   second node is of the same tier, and the call does not have to wait for a place there.
 * - A node that is much slower than its 95th percentile is reported, and the call is sent to another node from the retry budget, as soon as one can
 *   answer.
 */
export function createRace({
  choose,
  hedges,
  onExtra = () => {},
  retries,
  timeout,
}: createRace.Options) {
  const due = createDueList<Run>({ onDue })
  let inFlight = 0

  function end(run: Run): boolean {
    if (run.over) return false
    run.over = true
    inFlight--
    due.remove(run)
    run.signal?.removeEventListener('abort', run.stop)
    return true
  }

  function win(run: Run, reply: NativeReply): void {
    // Nodes that got the call earlier and have not answered yet were too slow.
    if (run.inFlight > 0)
      for (const attempt of running(run)) if (attempt !== run.last) attempt.member.slow()
    if (!end(run)) return
    run.resolve(reply)
    if (run.inFlight > 0) run.linger = setTimeout(() => run.stop.stop(RACE_OVER), LINGER)
  }

  function fail(run: Run, error: unknown): void {
    if (!end(run)) return
    run.reject(error)
    run.stop.stop(RACE_OVER)
  }

  function launch(run: Run, member: Member, now: number): void {
    const attempt: Attempt = {
      before: run.last,
      dueAt: Number.POSITIVE_INFINITY,
      isOver: false,
      isSlow: false,
      member,
      slowAt: now,
    }
    run.last = attempt
    run.inFlight++
    // Asking two nodes to build would give two transactions.
    if (run.call.kind === 'read') watchOver(run, attempt, now)
    due.add(run)
    member.ask(run.call, (run.deadline - now) / 2, run.stop).then(
      (outcome) => {
        leave(run, attempt)
        return run.over ? undefined : take(run, member, outcome)
      },
      (error: unknown) => {
        leave(run, attempt)
        if (run.over) return
        if (run.signal?.aborted) fail(run, run.signal.reason)
        else another(run, 'failover', error as Error)
      },
    )
  }

  /** A call to a node has ended. It may have lost the race. */
  function leave(run: Run, attempt: Attempt): void {
    attempt.isOver = true
    run.inFlight--
    if (run.inFlight === 0 && run.linger) clearTimeout(run.linger)
  }

  function watchOver(run: Run, attempt: Attempt, now: number): void {
    const p95 = attempt.member.p95(run.call.operation)
    const slowAfter =
      p95 === undefined
        ? UNKNOWN_SLOW
        : Math.min(Math.max(LEAST_SLOW, p95 * SLOW_TIMES), timeout / 3)
    attempt.slowAt = now + slowAfter
    // Calls of one group stay at one node unless it is much too slow.
    attempt.dueAt =
      now + (p95 === undefined || run.call.group ? slowAfter : Math.max(LEAST_HEDGE, p95))
    if (attempt.dueAt < run.dueAt) run.dueAt = attempt.dueAt
  }

  /** The deadline has passed, or a call to a node may be slow. */
  function onDue(run: Run): void {
    const now = performance.now()
    if (now >= run.deadline)
      return run.unknown ? win(run, run.unknown.reply) : fail(run, new NodeTimeoutError(timeout))
    for (const attempt of running(run)) {
      if (attempt.dueAt <= now) late(run, attempt, now)
      if (run.over) return
    }
    run.dueAt = Math.min(run.deadline, ...running(run).map(({ dueAt }) => dueAt))
    due.add(run)
  }

  /** A call is slow: sends a hedge; later, when it is much too slow, a retry, or takes the answer that nothing confirms. */
  function late(run: Run, attempt: Attempt, now: number): void {
    const isAlone = run.inFlight === 1
    if (attempt.dueAt < attempt.slowAt) {
      attempt.dueAt = attempt.slowAt
      if (isAlone) extra(run, 'hedge', hedges)
      return
    }
    if (!attempt.isSlow) attempt.member.slow()
    attempt.isSlow = true
    // Another node may be able to answer later, and the budget fills up again.
    attempt.dueAt = now + CHECK_AGAIN
    if (!isAlone || extra(run, 'failover', retries)) return
    if (run.unknown && now - run.unknown.since >= CONFIRM_WAIT) win(run, run.unknown.reply)
  }

  function take(run: Run, member: Member, outcome: Outcome): void {
    switch (outcome.kind) {
      case 'answer':
        if (run.unknown && !outcome.isRefusal) noteMissing(run.unknown.member, run.call.need)
        return win(run, outcome.reply)
      case 'unknown':
        if (run.unknown) return win(run, outcome.reply)
        run.unknown = { reply: outcome.reply, member, since: performance.now() }
        return another(run, 'confirm', undefined)
      case 'lacks':
        return another(run, 'confirm', outcome.error)
      case 'busy':
        return another(run, 'busy', outcome.error)
      case 'failed':
        // Only calls already in flight meet a node of another chain; it gets no further calls. The text of a client must not use up
        // the retries of the others.
        return another(
          run,
          outcome.isOfText || outcome.error instanceof OtherChainError ? 'confirm' : 'failover',
          outcome.error,
        )
    }
  }

  /** Continues with another node; without one, ends with the best result so far. */
  function another(run: Run, why: Extra, error: Error | undefined): void {
    if (error && !(run.fault && error instanceof NodeBusyError)) run.fault = error
    if (run.inFlight > 0) return
    if (extra(run, why, why === 'confirm' ? undefined : retries)) return
    const { fault, unknown } = run
    // No other node is available to confirm it, so the answer of the one working node counts.
    if (unknown) return win(run, unknown.reply)
    const wait = BUSY_PAUSES[run.rounds]
    if (fault instanceof NodeBusyError && wait !== undefined && retries.spend()) {
      run.rounds++
      setTimeout(() => askAgain(run, fault), wait * (0.5 + Math.random()))
      return
    }
    fail(run, givenUp(fault ?? new NodeTimeoutError(timeout)))
  }

  /** Calls the nodes again after a pause, because all of them were busy. */
  function askAgain(run: Run, fault: NodeBusyError): void {
    if (run.over) return
    run.last = undefined
    if (run.signal?.aborted) fail(run, run.signal.reason)
    else if (!extra(run, 'busy', undefined)) fail(run, givenUp(fault))
  }

  function extra(run: Run, why: Extra, budget: Budget | undefined): boolean {
    const tried = attemptsOf(run).map(({ member }) => member)
    const member = choose(run.call, tried)
    if (!member) return false
    if (why === 'hedge' && !isForHedge(run.call, tried, member)) return false
    if (budget && !budget.spend()) return false
    onExtra(why)
    launch(run, member, performance.now())
    return true
  }

  // Nearly all calls end with the first answer, so a run allocates little at its start.
  const start = (call: RaceCall, first: Member, signal: StopSignal | undefined) =>
    new Promise<NativeReply>((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const now = performance.now()
      const deadline = now + timeout
      const run: Run = {
        at: -1,
        call,
        deadline,
        dueAt: deadline,
        fault: undefined,
        inFlight: 0,
        last: undefined,
        linger: undefined,
        over: false,
        reject,
        resolve,
        rounds: 0,
        signal,
        stop: createStop(),
        unknown: undefined,
      }
      signal?.addEventListener('abort', run.stop, { once: true })
      inFlight++
      retries.earn()
      hedges.earn()
      return launch(run, first, now)
    })

  return {
    run: start,
    /** Calls without a result yet. */
    inFlight: () => inFlight,
  }
}

export declare namespace createRace {
  type Options = {
    /** The next node to ask; undefined when there is none. */
    choose: (call: RaceCall, excluded: readonly Member[]) => Member | undefined
    hedges: Budget
    retries: Budget
    /** Milliseconds for all attempts together. */
    timeout: number
    onExtra?: ((why: Extra) => void) | undefined
  }
}

/** One call of a client and the calls to nodes that were made for it so far. */
type Run = DueEntry & {
  readonly call: RaceCall
  /** Ends everything: waiting for a place, the call and the check of the chain add up. */
  readonly deadline: number
  readonly signal: StopSignal | undefined
  readonly resolve: (reply: NativeReply) => void
  readonly reject: (error: unknown) => void
  /** Ends the calls to nodes: those that lost, or all when the client has disconnected. */
  readonly stop: Stop
  /** The newest call to a node since the last pause. */
  last: Attempt | undefined
  /** Calls to nodes without a result yet. */
  inFlight: number
  over: boolean
  /** Pauses because all nodes limit the rate. */
  rounds: number
  unknown: { reply: NativeReply; member: Member; since: number } | undefined
  fault: Error | undefined
  linger: NodeJS.Timeout | undefined
}

/** A call to one node. Monotonic milliseconds. */
type Attempt = {
  /** The call before it, since most runs have one call, for which a list would cost more. */
  readonly before: Attempt | undefined
  readonly member: Member
  /** When a hedge is sent; after that the same as `slowAt`; then when another node is looked for again. */
  dueAt: number
  isOver: boolean
  /** Whether its node was reported as much slower than its 95th percentile. */
  isSlow: boolean
  /** When its node is much slower than its 95th percentile. */
  slowAt: number
}

/** The calls to nodes since the last pause, newest first. */
function attemptsOf({ last }: Run): Attempt[] {
  const attempts: Attempt[] = []
  for (let each = last; each; each = each.before) attempts.push(each)
  return attempts
}

/** The calls to nodes that have no result yet. */
function running(run: Run): Attempt[] {
  return attemptsOf(run).filter(({ isOver }) => !isOver)
}

/**
 * A node of a higher tier is for calls that no other node can answer, not for late ones. Where all nodes are at their limit, a
 * hedge would only take the place of another call.
 */
function isForHedge(
  { path }: RaceCall,
  tried: readonly Member[],
  { limiter, upstream }: Member,
): boolean {
  const tiers = tried.map((member) => member.upstream.tier)
  return upstream.tier <= Math.max(...tiers) && limiter.free(path)
}

/** Why the calls that lost a race are cancelled. */
const RACE_OVER = new Error('another node has answered')

/** The error for the caller, which must not retry: the race has used up the retries. */
function givenUp(fault: Error): Error {
  return fault instanceof NodeBusyError
    ? new NodeBusyError({ cause: fault.cause, isFinal: true })
    : fault
}

/** How far below the head a block is that a node lacks because it was pruned, and not because it is new. */
const PRUNED_BELOW = 1_000

/** Records that a node lacks an old block that another node has, so that it gets no calls for blocks of that age. */
function noteMissing({ known }: Member, need: Need): void {
  if (need.kind === 'block' && (known.head?.number ?? 0) - need.number > PRUNED_BELOW)
    known.lowest = Math.max(known.lowest, need.number + 1)
}
