import { createStop, type Stop, type StopSignal } from '../lib/stopSignal.ts'

/** Lets identical concurrent calls share one call. */
export type Sharing = <value>(
  key: string,
  signal: StopSignal | undefined,
  run: (signal: StopSignal | undefined) => Promise<value>,
) => Promise<value>

/**
 * Nothing is kept after a call has ended: this is not a cache. A caller that aborts leaves; the call itself is aborted only
 * when the last one has left. All of them get the same object and must not change it.
 */
export function createSharing(): Sharing {
  const underway = new Map<string, Underway>()

  return function share<value>(
    key: string,
    signal: StopSignal | undefined,
    run: (signal: StopSignal | undefined) => Promise<value>,
  ): Promise<value> {
    if (signal?.aborted) return Promise.reject(signal.reason)
    let call = underway.get(key)
    if (!call) {
      // A caller without a signal never leaves, so its call can never be aborted.
      const stop = signal && createStop(signal.caller ?? signal)
      const promise = run(stop)
      const started: Underway = { promise, stop, callers: 0 }
      call = started
      underway.set(key, started)
      const forget = () => {
        if (underway.get(key) === started) underway.delete(key)
        // A map that changes all the time keeps what was in it until the next full garbage collection.
        started.promise = ENDED
      }
      promise.then(forget, forget)
    }
    call.callers++
    return signal ? untilAborted(call, signal) : (call.promise as Promise<value>)

    function untilAborted(call: Underway, signal: StopSignal): Promise<value> {
      return new Promise((resolve, reject) => {
        const leave = () => {
          reject(signal.reason)
          if (--call.callers > 0) return
          // Later callers must not join a call that is being aborted.
          if (underway.get(key) === call) underway.delete(key)
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

type Underway = {
  /** Of the call; of nothing once that has ended. */
  promise: Promise<unknown>
  stop: Stop | undefined
  callers: number
}
