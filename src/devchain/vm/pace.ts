import { currentTurn } from '../../lib/turn.ts'
import { TimeoutError } from './failure.ts'

/** Units of work between two checks of the clock: far less than a millisecond. */
const STRIDE = 256

/** The work of a call, in jumps. */
export const CALL_WORK = STRIDE / 4

/** Bytes whose hash takes as long as a jump. */
const HASHED = 64

/** The work of hashing some bytes, in jumps. */
export const hashWork = (bytes: number): number => 1 + bytes / HASHED

/** Milliseconds of work that cannot be interrupted. More would delay all other work of the thread. */
const MOST_AT_ONCE = 1_000

/** Limits the time of one run. */
export type Pace = ReturnType<typeof createPace>

/**
 * Lets other work of the process run, and ends the run when it has computed for too long. The time of other work does not count.
 *
 * @param timeout - Most milliseconds of computing. Without it only energy limits the run.
 */
export function createPace(timeout = Infinity) {
  const turn = currentTurn()
  const end = turn.used() + timeout
  let passed = 0
  const left = () => Math.min(end - turn.used(), turn.left())
  return {
    /**
     * Called before work of this size, of which one is a jump: at every jump, call and hash, because every endless loop contains one.
     *
     * @returns a promise if other work must run first. @throws TimeoutError when the run has computed for too long
     */
    step(work: number) {
      passed += work
      if (passed < STRIDE) return undefined
      passed = 0
      if (left() < 0) throw new TimeoutError()
      return turn.isOver() ? turn.next() : undefined
    },
    /** Called before work that cannot be interrupted. @throws TimeoutError when the time that is left is less */
    reserve(milliseconds: number) {
      // Without a limit every run ends, however long it takes.
      if (timeout === Infinity || milliseconds === 0) return
      if (milliseconds > Math.min(left(), MOST_AT_ONCE)) throw new TimeoutError()
    },
  }
}
