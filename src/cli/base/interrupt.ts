import { sleep } from '../../lib/sleep.ts'
import { EXIT } from './errors.ts'

/**
 * The first Ctrl-C (or SIGTERM) aborts the signal, so that a command can save its work; the second ends the process at
 * once.
 */
export function onInterrupt(): { signal: AbortSignal; release: () => void } {
  const controller = new AbortController()
  const stop = () => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted)
    controller.abort()
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  return {
    signal: controller.signal,
    release() {
      process.off('SIGINT', stop)
      process.off('SIGTERM', stop)
    },
  }
}

/** Waits; an abort ends the wait early, without an error. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, signal).catch(() => {})
}
