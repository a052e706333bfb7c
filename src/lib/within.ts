import type { StopSignal } from './stopSignal.ts'

/**
 * Calls back when a time limit has passed. An answer that arrived while this process was busy is in time: Node.js reads it after its timers
 * and before the callback of `setImmediate`, which browsers do not have. In between, `clearTimeout` has no effect.
 *
 * @param milliseconds - of the limit
 */
export const whenLate = (callback: () => void, milliseconds: number): NodeJS.Timeout =>
  setTimeout(() => (globalThis.setImmediate ?? setTimeout)(callback), milliseconds)

/**
 * Waits for a promise, at most this many milliseconds. The work behind the promise is not stopped.
 *
 * @param late - what is thrown when the time is over.
 * @throws the signal's reason, as soon as the signal is aborted.
 */
export async function within<value>(
  promise: Promise<value>,
  milliseconds: number,
  late: () => Error,
  signal?: StopSignal,
): Promise<value> {
  let end: (reason: unknown) => void = () => {}
  const ended = new Promise<never>((_, reject) => (end = reject))
  const leave = () => end(signal?.reason)
  const timer = whenLate(() => end(late()), milliseconds)
  signal?.addEventListener('abort', leave, { once: true })
  if (signal?.aborted) leave()
  try {
    return await Promise.race([promise, ended])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', leave)
  }
}
