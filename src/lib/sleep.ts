import type { StopSignal } from './stopSignal.ts'

/**
 * Resolves after some milliseconds.
 *
 * @param ref - Whether the wait keeps the process alive.
 * @throws the reason of the signal, when it is aborted.
 */
export function sleep(
  milliseconds: number,
  signal?: StopSignal,
  { ref = true }: { ref?: boolean } = {},
): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, milliseconds)
    if (!ref) timer.unref()
    signal?.addEventListener('abort', abort, { once: true })
  })
}
