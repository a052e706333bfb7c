/** Lets identical concurrent calls share one call. */
export type Sharing = <value>(
  key: string,
  signal: AbortSignal | undefined,
  run: (signal: AbortSignal | undefined) => Promise<value>,
) => Promise<value>

/**
 * Nothing is kept after a call has ended: this is not a cache. A caller that aborts leaves; the call itself is aborted only
 * when the last one has left. All of them get the same object and must not change it.
 */
export function createSharing(): Sharing {
  const underway = new Map<string, Underway>()

  return function share<value>(
    key: string,
    signal: AbortSignal | undefined,
    run: (signal: AbortSignal | undefined) => Promise<value>,
  ): Promise<value> {
    if (signal?.aborted) return Promise.reject(signal.reason)
    let call = underway.get(key)
    if (!call) {
      // A caller without a signal never leaves, so its call can never be aborted.
      const controller = signal && new AbortController()
      const promise = run(controller?.signal)
      const started: Underway = { promise, controller, callers: 0 }
      call = started
      underway.set(key, started)
      const forget = () => {
        if (underway.get(key) === started) underway.delete(key)
      }
      promise.then(forget, forget)
    }
    call.callers++
    return signal ? untilAborted(call, signal) : (call.promise as Promise<value>)

    function untilAborted(call: Underway, signal: AbortSignal): Promise<value> {
      return new Promise((resolve, reject) => {
        const leave = () => {
          reject(signal.reason)
          if (--call.callers > 0) return
          // Later callers must not join a call that is being aborted.
          if (underway.get(key) === call) underway.delete(key)
          call.controller?.abort(signal.reason)
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

type Underway = {
  promise: Promise<unknown>
  controller: AbortController | undefined
  callers: number
}
