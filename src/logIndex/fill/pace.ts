import { sleep } from '../../lib/sleep.ts'
import { NodeBusyError, NodeTimeoutError } from '../../native/errors.ts'

/** Limits the calls of filling: calls in flight, and calls a second. */
export type Pace = ReturnType<typeof createPace>

/** Factor for the limit of calls in flight when the node is busy, and good calls before the limit grows by one. */
const SHRINK = 0.5
const GROW_EVERY = 50

/** Milliseconds between checks, and the least delay that is worth a timer. */
const TICK = 10

/**
 * At most `concurrency` calls in flight and `rate` a second. Calls in flight are halved when the node is busy or does not answer in
 * time, and grow by one for every 50 good calls.
 */
export function createPace({
  concurrency,
  now = () => performance.now(),
  rate,
}: createPace.Options) {
  const waiting: (() => void)[] = []
  let allowed = concurrency
  let running = 0
  let well = 0
  let calls = 0
  /** When the next call may begin, so that the rate is kept. */
  let next = 0

  async function begin(): Promise<void> {
    if (running >= Math.floor(allowed)) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    const time = now()
    next = Math.max(next, time - TICK)
    const delay = next - time
    next += 1_000 / rate
    if (delay > TICK) await sleep(delay)
  }

  function end(): void {
    running -= 1
    while (running < Math.floor(allowed) && waiting.length > 0) {
      running += 1
      waiting.shift()?.()
    }
  }

  return {
    async run<value>(call: () => Promise<value>): Promise<value> {
      await begin()
      calls += 1
      try {
        const value = await call()
        well += 1
        if (well % GROW_EVERY === 0) allowed = Math.min(concurrency, allowed + 1)
        return value
      } catch (error) {
        if (error instanceof NodeBusyError || error instanceof NodeTimeoutError)
          allowed = Math.max(1, allowed * SHRINK)
        throw error
      } finally {
        end()
      }
    },
    /** Resolves when another call can start at once. */
    async free(): Promise<void> {
      while (running >= Math.floor(allowed)) await sleep(TICK)
    },
    /** Calls so far. */
    calls: () => calls,
  }
}

export declare namespace createPace {
  type Options = {
    concurrency: number
    /** Calls a second. */
    rate: number
    /** Milliseconds. @default performance.now */
    now?: () => number
  }
}
