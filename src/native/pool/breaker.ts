import { type Timing, TIMING } from './timing.ts'

/** Failures in a row that open it. */
const IN_A_ROW = 5

/** Failures among the last calls that open it: more than half of at least 20. */
const LAST = 20

/** A bit for each of the last calls. */
const ALL = (1 << LAST) - 1

/** Share right after the first good probe. */
const FIRST_SHARE = 0.05

/** Milliseconds that it stays open at most, however often the recovery fails. */
const LONGEST = 15_000

/**
 * Decides from the results of the last calls whether a node gets calls.
 *
 * - `closed`: it gets calls.
 * - `open`: it gets only probes.
 * - `recovering`: a probe succeeded. It gets a growing part of the calls, so that they do not overload it.
 */
export function createBreaker({
  now = () => performance.now(),
  ramp = TIMING.ramp,
  rest = TIMING.rest,
}: createBreaker.Options = {}) {
  let state: 'closed' | 'open' | 'recovering' = 'closed'
  let since = 0
  let wait = rest
  let row = 0
  /** One bit for each of the last calls: 1 for a failure. A list takes longer, and every call of a client is noted. */
  let failures = 0
  let noted = 0
  let reason: string | undefined

  function open(why: string): void {
    if (state === 'recovering') wait = Math.min(LONGEST, wait * 2)
    if (state !== 'open') since = now()
    state = 'open'
    reason = why
    forget()
  }

  function forget(): void {
    row = 0
    failures = 0
    noted = 0
  }

  function note(isFailure: 0 | 1): void {
    failures = ((failures << 1) | isFailure) & ALL
    if (noted < LAST) noted++
  }

  function shareNow(): number {
    if (state === 'closed') return 1
    if (state === 'open') return 0
    const passed = (now() - since) / ramp
    if (passed < 1) return FIRST_SHARE + (1 - FIRST_SHARE) * passed * passed
    state = 'closed'
    wait = rest
    reason = undefined
    return 1
  }

  return {
    state: () => (shareNow(), state),
    /** Part of the calls that the node should get now, from 0 to 1. */
    share: shareNow,
    succeed() {
      row = 0
      if (state !== 'open') note(0)
    },
    /** A call failed because of the node. */
    fail(why: string) {
      if (state === 'open') return
      row++
      note(1)
      const most = state === 'recovering' ? 2 : IN_A_ROW
      if (row >= most || (noted === LAST && countOnes(failures) > LAST / 2)) open(why)
    },
    /** Opens it, whatever the last calls were. */
    trip: open,
    /** A probe succeeded. `atOnce`: without waiting, because there is no other node. */
    probed(atOnce: boolean) {
      if (state !== 'open' || (!atOnce && now() - since < wait)) return
      state = 'recovering'
      since = now()
      forget()
    },
    /** Why it is not closed. */
    reason: () => (shareNow(), reason),
  }
}

export declare namespace createBreaker {
  type Options = Partial<Pick<Timing, 'ramp' | 'rest'>> & {
    /** Milliseconds. @default performance.now */
    now?: () => number
  }
}

/** How many bits of a number are 1. */
function countOnes(number: number): number {
  let ones = 0
  // Each step clears the lowest one.
  for (let rest = number; rest > 0; rest &= rest - 1) ones++
  return ones
}
