import type { StopSignal } from './stopSignal.ts'

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
  // What arrived while this process was busy came in time: it is read before the callback of `setImmediate`.
  const timer = setTimeout(() => setImmediate(() => end(late())), milliseconds)
  signal?.addEventListener('abort', leave, { once: true })
  if (signal?.aborted) leave()
  try {
    return await Promise.race([promise, ended])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', leave)
  }
}
