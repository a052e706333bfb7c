import { timeSlice } from '../../lib/timeSlice.ts'
import { TimeoutError } from './failure.ts'

/** Calls and jumps between two checks of the clock: far less than a millisecond of work. */
const STRIDE = 256

/**
 * Limits the time of one run. The result is called at every jump and call, because every endless loop contains one. It
 * lets other work of the process run, and ends the run when it has computed for too long. The time of other work does not
 * count.
 *
 * @param timeout - Most milliseconds of computing. Without it only energy limits the run.
 * @returns A function that returns a promise if other work waits, and throws TimeoutError.
 */
export function createPace(timeout = Infinity): () => Promise<void> | undefined {
  let passed = 0
  let spent = 0
  let since = performance.now()

  async function yieldTick(): Promise<void> {
    spent += performance.now() - since
    await timeSlice.next()
    since = performance.now()
  }

  return () => {
    if (++passed % STRIDE !== 0) return undefined
    if (spent + performance.now() - since > timeout) throw new TimeoutError()
    return timeSlice.isOver() ? yieldTick() : undefined
  }
}
