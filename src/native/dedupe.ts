import type { Call } from '../lib/call.ts'
import { createStop, type Stop } from '../lib/stopSignal.ts'

/** Runs identical concurrent calls once. `key` identifies the call. */
export type Sharing = <value>(
  key: string,
  signal: Call | undefined,
  run: (signal: Call | undefined) => Promise<value>,
) => Promise<value>

/**
 * Creates a function that shares calls in flight. It is not a cache: it drops a call that has ended. A call is aborted
 * when all its callers have aborted. All callers get the same object and must not change it.
 */
export function createSharing(): Sharing {
  const inFlight = new Map<string, SharedCall>()

  return function share<value>(
    key: string,
    signal: Call | undefined,
    run: (signal: Call | undefined) => Promise<value>,
  ): Promise<value> {
    if (signal?.aborted) return Promise.reject(signal.reason)
    let call = inFlight.get(key)
    if (!call) {
      // A caller without a signal cannot abort, so its call is never aborted.
      const stop = signal && createStop(signal)
      const promise = run(stop)
      const started: SharedCall = { promise, stop, callers: 0 }
      call = started
      inFlight.set(key, started)
      const remove = () => {
        if (inFlight.get(key) === started) inFlight.delete(key)
        // Releases the answer, because a map that changes often keeps deleted entries until the next full garbage collection.
        started.promise = ENDED
      }
      promise.then(remove, remove)
    }
    call.callers++
    return signal ? untilAborted(call, signal) : (call.promise as Promise<value>)

    function untilAborted(call: SharedCall, signal: Call): Promise<value> {
      return new Promise((resolve, reject) => {
        const leave = () => {
          reject(signal.reason)
          if (--call.callers > 0) return
          // Later callers must not join a call that is being aborted.
          if (inFlight.get(key) === call) inFlight.delete(key)
          call.stop?.stop(signal.reason)
        }
        signal.addEventListener('abort', leave, { once: true })
        const stay = () => signal.removeEventListener('abort', leave)
        call.promise.then(
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
