import { createStop, type StopSignal } from '../../lib/stopSignal.ts'
import { NodeBusyError, NodeTimeoutError, OtherChainError } from '../errors.ts'
import type { NativeReply } from '../transport.ts'
import type { Budget } from './budget.ts'
import type { Judgement } from './judge.ts'
import type { Member, MemberCall } from './member.ts'
import type { Need } from './need.ts'

/** Asks one node, and others when that helps, until one gives a real answer. */
export type Race = (
  call: RaceCall,
  first: Member,
  signal: StopSignal | undefined,
) => Promise<NativeReply>

export type RaceCall = MemberCall & {
  need: Need
  /** What the call belongs to: reads of the newest state for one group go to one node. */
  group?: object | undefined
  /** Whether asking two nodes at once does no harm. */
  hedged: boolean
}

/** Why one more node was asked; for metrics. */
export type Extra = 'failover' | 'hedge' | 'confirm' | 'busy'

/** Milliseconds below which no second node is asked while the first may still answer. */
const LEAST_HEDGE = 10

/** A node that needs this many times its usual latency is not waited for alone any more. Milliseconds. */
const SLOW_TIMES = 4
const LEAST_SLOW = 250
const UNKNOWN_SLOW = 1_000

/**
 * Milliseconds that calls which lost get to end by themselves. A call that is cancelled costs its connection, and a new one costs
 * more than a small answer.
 */
const LINGER = 100

/** Pauses before nodes that were all over their rate limit are asked again, milliseconds. */
const BUSY_PAUSES = [100, 200, 400]

/**
 * - An answer ends the race; calls that are still under way are cancelled soon.
 * - `{}` or `[]` is asked of a second node before it is believed; what the second says counts.
 * - A failure or a rate limit goes on to another node at once, while the budget for repetitions lasts.
 * - A node that is slower than its 95th percentile gets a second one beside it, while the budget for hedges lasts.
 * - A node that is much slower than usual is reported, and another is asked from the budget for repetitions.
 */
export function createRace({
  choose,
  hedges,
  onExtra = () => {},
  retries,
  timeout,
}: createRace.Options): Race {
  return (call, first, signal) =>
    new Promise((resolve, reject) => {
      const tried = new Set<Member>()
      const losers = createStop()
      const deadline = performance.now() + timeout
      const waiting = new Set<Member>()
      let rounds = 0
      let last: Member | undefined
      let over = false
      let unknown: { reply: NativeReply; member: Member } | undefined
      let fault: Error | undefined
      let pause: NodeJS.Timeout | undefined
      const timers = new Set<NodeJS.Timeout>()
      let limit: NodeJS.Timeout | undefined
      let linger: NodeJS.Timeout | undefined

      const leave = () => fail(signal?.reason as Error)
      if (signal?.aborted) return leave()
      signal?.addEventListener('abort', leave, { once: true })
      retries.earn()
      hedges.earn()

      launch(first)
      return undefined

      function end(): boolean {
        if (over) return false
        over = true
        clearTimeout(limit)
        clearTimeout(pause)
        for (const timer of timers) clearTimeout(timer)
        signal?.removeEventListener('abort', leave)
        return true
      }

      function win(reply: NativeReply): void {
        // Those that were asked first and have not answered yet were overtaken.
        for (const member of waiting) if (member !== last) member.slow()
        if (!end()) return
        resolve(reply)
        if (waiting.size > 0) linger = setTimeout(() => losers.stop(RACE_OVER), LINGER)
      }

      function fail(error: Error): void {
        if (!end()) return
        reject(error)
        if (waiting.size > 0) losers.stop(RACE_OVER)
      }

      /** A call has ended, also one that lost. */
      function leaves(member: Member): void {
        waiting.delete(member)
        if (waiting.size === 0) clearTimeout(linger)
      }

      function launch(member: Member): void {
        last = member
        tried.add(member)
        waiting.add(member)
        const watch = call.hedged ? watchOver(member) : () => {}
        const left = deadline - performance.now()
        member.ask(call, left / 2, losers.signal).then(
          (judgement) => {
            watch()
            leaves(member)
            return over ? undefined : take(member, judgement)
          },
          (error: unknown) => {
            watch()
            leaves(member)
            if (!over) another('failover', error as Error)
          },
        )
      }

      /** Asks a second node when this one takes long. Returns the function that ends the watch. */
      function watchOver(member: Member): () => void {
        const usual = member.latency(call.operation, 0.95)
        const slowAfter =
          usual === undefined
            ? UNKNOWN_SLOW
            : Math.min(Math.max(LEAST_SLOW, usual * SLOW_TIMES), timeout / 3)
        let timer: NodeJS.Timeout
        const tooSlow = () => {
          member.slow()
          if (!over && waiting.size === 1) extra('failover', retries)
        }
        const hedge = () => {
          arm(tooSlow, slowAfter - hedgeAfter)
          if (!over && waiting.size === 1) extra('hedge', hedges)
        }
        // What belongs together stays at one node unless that is much too slow.
        const hedgeAfter =
          usual === undefined || call.group ? slowAfter : Math.max(LEAST_HEDGE, usual)
        function arm(then: () => void, milliseconds: number) {
          timer = setTimeout(() => {
            timers.delete(timer)
            then()
          }, stepped(milliseconds))
          timers.add(timer)
        }
        if (hedgeAfter < slowAfter) arm(hedge, hedgeAfter)
        else arm(tooSlow, slowAfter)
        return () => {
          clearTimeout(timer)
          timers.delete(timer)
        }
      }

      function take(member: Member, judgement: Judgement): void {
        switch (judgement.kind) {
          case 'answer':
            if (unknown) noteMissing(unknown.member, call.need)
            return win(judgement.reply)
          case 'unknown':
            if (unknown) return win(judgement.reply)
            unknown = { reply: judgement.reply, member }
            return another('confirm', undefined)
          case 'lacks':
            return another('confirm', judgement.error)
          case 'busy':
            return another('busy', judgement.error)
          case 'failed':
            // It happens to the calls of one moment; from then on the node is not asked.
            return another(
              judgement.error instanceof OtherChainError ? 'confirm' : 'failover',
              judgement.error,
            )
        }
      }

      /** Goes on to another node; without one, ends with what there is. */
      function another(why: Extra, error: Error | undefined): void {
        if (error && !(fault && error instanceof NodeBusyError)) fault = error
        if (waiting.size > 0) return
        if (extra(why, why === 'confirm' ? undefined : retries)) return
        // Whoever could have contradicted it cannot be asked: one node that works is believed.
        if (unknown) return win(unknown.reply)
        const wait = BUSY_PAUSES[rounds]
        if (fault instanceof NodeBusyError && wait !== undefined) {
          rounds++
          pause = setTimeout(
            () => {
              tried.clear()
              if (!extra('busy', undefined)) fail(fault as Error)
            },
            wait * (0.5 + Math.random()),
          )
          return
        }
        fail(fault ?? new NodeTimeoutError(timeout))
      }

      function extra(why: Extra, budget: Budget | undefined): boolean {
        const member = choose(call, tried)
        if (!member || (budget && !budget.spend())) return false
        onExtra(why, call)
        // The first call ends by itself in time; with more of them all together have to.
        limit ??= setTimeout(
          () => fail(new NodeTimeoutError(timeout)),
          Math.max(1, deadline - performance.now()),
        )
        launch(member)
        return true
      }
    })
}

export declare namespace createRace {
  type Options = {
    /** The next node to ask; undefined when there is none. */
    choose: (call: RaceCall, excluded: ReadonlySet<Member>) => Member | undefined
    hedges: Budget
    retries: Budget
    /** Milliseconds for everything together. */
    timeout: number
    onExtra?: (why: Extra, call: RaceCall) => void
  }
}

/** Why the calls that lost a race are cancelled. */
const RACE_OVER = new Error('another node has answered')

/** The next of a few durations: timers of one duration share a list, which makes them cheap. */
function stepped(milliseconds: number): number {
  let step = 10
  while (step < milliseconds) step = Math.ceil(step * 1.25)
  return step
}

/** How far below the head a block is that a node lacks because it was pruned, and not because it is new. */
const PRUNED_BELOW = 1_000

/** Remembers that a node lacks an old block which another one has: it is not asked for as old ones again. */
function noteMissing({ known }: Member, need: Need): void {
  if (need.kind === 'block' && (known.head?.number ?? 0) - need.number > PRUNED_BELOW)
    known.lowest = Math.max(known.lowest, need.number + 1)
}
