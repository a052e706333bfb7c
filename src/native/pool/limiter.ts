import type { Call } from '../../lib/call.ts'
import { LimitExceededError } from '../../lib/errors.ts'
import { createFairQueue } from '../../lib/fairQueue.ts'
import { createTokenBucket, type TokenBucket } from '../../lib/tokenBucket.ts'
import { whenLate } from '../../lib/within.ts'
import { ENDPOINT_RATE } from '../upstream.ts'
import type { Concurrency } from './concurrency.ts'

/**
 * Calls that may wait for one node; twice as many when those above it are of callers with few. Each holds a request of a
 * client, so this also bounds memory.
 */
const LONGEST_QUEUE = 10_000

/** Milliseconds that calls must have waited before the throughput of the queue is known. */
const ENOUGH = 500

/** Limits the rate and the concurrency of calls to one node. Further calls queue, for a limited time. */
export function createLimiter({ concurrency, now, rate, share }: createLimiter.Options) {
  const bucketOptions = { share, ...(now && { now }) }
  const whole = typeof rate === 'number' ? createTokenBucket({ rate, ...bucketOptions }) : undefined
  const endpoints = new Map<string, TokenBucket>()
  const queue = createFairQueue<Waiter>()
  const clock = now ?? (() => performance.now())
  let inFlight = 0
  let timer: NodeJS.Timeout | undefined
  let waitingSince = 0
  let endedSince = 0

  function endpoint(operation: string): TokenBucket | undefined {
    if (rate === 'unlimited') return undefined
    // The query is no part of the endpoint.
    const query = operation.indexOf('?')
    const name = query === -1 ? operation : operation.slice(0, query)
    let bucket = endpoints.get(name)
    if (!bucket)
      endpoints.set(name, (bucket = createTokenBucket({ rate: ENDPOINT_RATE, ...bucketOptions })))
    return bucket
  }

  function waitOf(operation: string): number {
    return Math.max(whole?.wait() ?? 0, endpoint(operation)?.wait() ?? 0)
  }

  function take(operation: string): void {
    inFlight++
    whole?.take()
    endpoint(operation)?.take()
  }

  /** Lets those in who may go now, in turn, skipping operations that are over their rate. */
  function pump(): void {
    let soonest = Number.POSITIVE_INFINITY
    const late = new Set<string>()
    const isReady = ({ operation }: Waiter) => {
      if (late.has(operation)) return false
      const wait = waitOf(operation)
      if (wait === 0) return true
      late.add(operation)
      soonest = Math.min(soonest, wait)
      return false
    }
    while (inFlight < concurrency.limit()) {
      const next = queue.shift(isReady)
      if (!next) break
      take(next.operation)
      next.admit()
    }
    if (soonest < Number.POSITIVE_INFINITY) wakeIn(soonest)
  }

  function wakeIn(milliseconds: number): void {
    timer ??= setTimeout(() => {
      timer = undefined
      pump()
    }, milliseconds)
  }

  /** Calls a second that ended since the queue is not empty; undefined before it can be measured. */
  function pace(): number | undefined {
    const elapsed = clock() - waitingSince
    return queue.size === 0 || elapsed < ENOUGH ? undefined : (endedSince / elapsed) * 1000
  }

  /** @param ahead - calls that have their turn before */
  function refusal(ahead: number): QueueFullError {
    const speed = pace()
    const seconds = speed ? Math.ceil(ahead / speed) : 1
    return new QueueFullError(Math.min(60, Math.max(1, seconds)))
  }

  function waitForPlace(
    operation: string,
    maxWait: number,
    { caller, signal }: Call = {},
  ): Promise<void> {
    // It does not emit its event again, so a listener would not end the wait.
    if (signal?.aborted) return Promise.reject(signal.reason)
    const speed = pace()
    const id = caller?.id
    const weight = caller?.limits.weight
    // Another caller with many calls does not make this one wait.
    const ahead = queue.ahead(id, weight)
    const expected = speed ? (ahead / speed) * 1000 : 0
    const isFull = queue.size >= LONGEST_QUEUE && ahead >= LONGEST_QUEUE / 2
    if (isFull || queue.size >= 2 * LONGEST_QUEUE || expected > maxWait)
      return Promise.reject(refusal(ahead))
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(limit)
        signal?.removeEventListener('abort', leave)
        queue.remove(waiter)
      }
      const leave = () => {
        end()
        reject(signal?.reason)
      }
      const limit = whenLate(() => {
        end()
        reject(refusal(queue.size))
      }, maxWait)
      const waiter: Waiter = {
        operation,
        admit() {
          end()
          resolve()
        },
      }
      signal?.addEventListener('abort', leave, { once: true })
      if (queue.size === 0) {
        waitingSince = clock()
        endedSince = 0
      }
      queue.add(waiter, id, weight)
      // Those who wait only for the rate are woken by time, not by a call that ends.
      if (inFlight < concurrency.limit()) wakeIn(Math.max(1, waitOf(operation)))
    })
  }

  const isFree = (operation: string) =>
    queue.size === 0 && inFlight < concurrency.limit() && waitOf(operation) === 0

  return {
    /** Whether a call of this operation would not wait. */
    free: isFree,
    /**
     * Waits for a place. The caller must leave the place afterwards. Callers that wait get places in turn.
     *
     * @param maxWait - milliseconds to wait at most.
     * @throws QueueFullError, or the reason of the call's signal
     */
    enter(operation: string, maxWait: number, call?: Call) {
      if (!isFree(operation)) return waitForPlace(operation, maxWait, call)
      take(operation)
      return undefined
    },
    leave() {
      inFlight--
      endedSince++
      if (queue.size > 0) pump()
    },
    /** The node said that it gets too many calls. */
    slowDown(operation: string) {
      if (whole) whole.slowDown()
      else endpoint(operation)?.slowDown()
    },
    inFlight: () => inFlight,
    queued: () => queue.size,
    /** Part of the allowed rate that is used, from 0 to 1; undefined without a limit. */
    used: () =>
      rate === 'unlimited'
        ? undefined
        : Math.max(whole?.used() ?? 0, ...[...endpoints.values()].map((bucket) => bucket.used())),
  }
}

export declare namespace createLimiter {
  type Options = {
    concurrency: Pick<Concurrency, 'limit'>
    /** Calls a second for the whole node, in addition. `unlimited`: no limit, not for operations either. */
    rate?: number | 'unlimited' | undefined
    /** Part of all rates that may be used now, above 0 and at most 1. @default 1 */
    share?: (() => number) | undefined
    /** Milliseconds. @default performance.now */
    now?: () => number
  }
}

type Waiter = { operation: string; admit(): void }

/** `-32005`: more calls wait for the node than it can answer in time. `data.retryAfter` is in seconds. */
export class QueueFullError extends LimitExceededError {
  override name = 'QueueFullError'

  constructor(retryAfter: number) {
    super(`too many calls wait for the upstream node, try again in ${retryAfter} s`, {
      data: { retryAfter },
    })
  }
}
