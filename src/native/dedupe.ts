import { type Call, withSignal } from '../lib/call.ts'
import { createStop, type Stop, type StopSignal } from '../lib/stopSignal.ts'

/** Runs identical concurrent calls once. `key` identifies the call. */
export type Dedupe = <value>(
  key: string,
  call: Call | undefined,
  run: (call: Call | undefined) => Promise<value>,
) => Promise<value>

/**
 * Creates a function that shares calls in flight. It is not a cache: it drops a call that has ended. A call is aborted
 * when all its callers have aborted. All callers get the same object and must not change it.
 */
export function createDedupe(): Dedupe {
  const inFlight = new Map<string, SharedCall>()

  return function dedupe<value>(
    key: string,
    call: Call | undefined,
    run: (call: Call | undefined) => Promise<value>,
  ): Promise<value> {
    const signal = call?.signal
    if (signal?.aborted) return Promise.reject(signal.reason)
    let shared = inFlight.get(key)
    if (!shared) {
      // A caller without a signal cannot abort, so its call is never aborted.
      const stop = signal && createStop()
      const promise = run(stop ? withSignal(call, stop) : call)
      const started: SharedCall = { promise, stop, callers: 0 }
      shared = started
      inFlight.set(key, started)
      const remove = () => {
        if (inFlight.get(key) === started) inFlight.delete(key)
        // Releases the answer, because a map that changes often keeps deleted entries until the next full garbage collection.
        started.promise = ENDED
      }
      promise.then(remove, remove)
    }
    shared.callers++
    return signal ? untilAborted(shared, signal) : (shared.promise as Promise<value>)

    function untilAborted(shared: SharedCall, signal: StopSignal): Promise<value> {
      return new Promise((resolve, reject) => {
        const leave = () => {
          reject(signal.reason)
          if (--shared.callers > 0) return
          // Later callers must not join a call that is being aborted.
          if (inFlight.get(key) === shared) inFlight.delete(key)
          shared.stop?.stop(signal.reason)
        }
        signal.addEventListener('abort', leave, { once: true })
        const stay = () => signal.removeEventListener('abort', leave)
        shared.promise.then(
          (value) => (stay(), resolve(value as value)),
          (error: unknown) => (stay(), reject(error)),
        )
      })
    }
  }
}

const ENDED = Promise.resolve()

type SharedCall = {
  /** The result of the call; an empty promise when the call has ended. */
  promise: Promise<unknown>
  stop: Stop | undefined
  callers: number
}
