import { timeSlice } from '../../lib/timeSlice.ts'
import { TimeoutError } from './failure.ts'

/** Calls and jumps between two looks at the clock: well below a millisecond of work. */
const STRIDE = 256

/**
 * Paces one run: it is asked at every jump and call, which every endless loop passes. It lets other work of the process have
 * its turn, and ends the run when it has computed too long. Time in which others had their turn does not count.
 *
 * @param timeout - Milliseconds that the run may compute; without it only energy limits it.
 * @returns A promise to wait for, where others are waiting. The function throws TimeoutError.
 */
export function createPace(timeout = Infinity): () => Promise<void> | undefined {
  let passed = 0
  let spent = 0
  let since = performance.now()

  async function giveWay(): Promise<void> {
    spent += performance.now() - since
    await timeSlice.next()
    since = performance.now()
  }

  return () => {
    if (++passed % STRIDE !== 0) return undefined
    if (spent + performance.now() - since > timeout) throw new TimeoutError()
    return timeSlice.isOver() ? giveWay() : undefined
  }
}
