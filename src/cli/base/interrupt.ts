import { sleep } from '../../lib/sleep.ts'
import { EXIT } from './errors.ts'

/**
 * Runs a task. The first Ctrl-C (or SIGTERM) aborts its signal, so that a command can save its work; the second ends the process at
 * once.
 */
export async function untilInterrupt<result>(
  run: (signal: AbortSignal) => Promise<result>,
): Promise<result> {
  const controller = new AbortController()
  const stop = () => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted)
    controller.abort()
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  try {
    return await run(controller.signal)
  } finally {
    process.off('SIGINT', stop)
    process.off('SIGTERM', stop)
  }
}

/** Waits; an abort ends the wait early, without an error. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, signal).catch(() => {})
}
