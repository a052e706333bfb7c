import { LAST_TIME } from '../../codec/block.ts'
import { RefusedError } from '../state/errors.ts'
import { SLOT } from '../state/resources.ts'

/** The clock of a chain. */
export type Clock = ReturnType<typeof createClock>

/** Time of the first block of a seeded chain: 2025-01-01, the start of a slot. */
export const SEEDED_START = 1_735_689_600_000

/** @throws RefusedError for a time after {@link LAST_TIME} */
function checked(time: number): number {
  if (time <= LAST_TIME) return time
  throw new RefusedError('OTHER_ERROR', `times after ${LAST_TIME / 1_000} seconds are not possible`)
}

/**
 * Creates a clock that follows real time or, with a seed, advances one slot a block. Tools can move it. All times are milliseconds.
 * Times after {@link LAST_TIME} are refused.
 */
export function createClock({
  headTime,
  now: wall,
  repeatable,
  start = SEEDED_START,
  step,
}: createClock.Options) {
  /** The offset of the chain's clock from real time. */
  let ahead = 0
  let chosen: number | undefined
  let interval: number | undefined

  const now = () => (repeatable ? Math.max(headTime(), start) + ahead : wall() + ahead)

  /** Time of the next block, if it is made now. */
  function next(): number {
    if (chosen !== undefined) return Math.max(chosen, headTime() + 1)
    const due =
      interval !== undefined ? checked(headTime() + interval) : now() + (repeatable ? SLOT : 0)
    return Math.max(whole(due), whole(headTime()) + step)
  }

  const whole = (time: number) => time - (time % step)

  return {
    now,
    next,
    /** Milliseconds from each block to the next when many are made at once, without a chosen time. */
    spacing: (): number =>
      interval !== undefined ? Math.max(whole(interval), step) : repeatable ? SLOT : step,
    /** Moves the clock forward to the time of a block that was made without `take`. */
    reach(time: number): void {
      if (repeatable) ahead = 0
      else if (time > now()) ahead = time - wall()
    },
    /** Takes the time of the next block. */
    take(): number {
      const time = next()
      if (repeatable) ahead = 0
      // The clock continues from a chosen time, or from a block that is later than real time.
      else if (chosen !== undefined || time > now()) ahead = time - wall()
      chosen = undefined
      return time
    },
    /** Moves the clock forward, but not a chosen time, as anvil and Hardhat do. Returns its offset from real time. */
    increase(by: number): number {
      checked(now() + by)
      return (ahead += by)
    },
    /** Moves the clock to a time. Returns the difference. @throws RefusedError for a time before the newest block */
    set(time: number): number {
      const newest = Math.floor(headTime() / 1_000)
      if (time < newest * 1_000)
        throw new RefusedError(
          'OTHER_ERROR',
          `the time ${time / 1_000} is before ${newest}, the time of the newest block; no block is earlier than the one before it`,
        )
      const by = checked(time) - now()
      ahead += by
      return by
    },
    /** Chooses the time of the next block. */
    setNext: (time: number) => void (chosen = checked(time)),
    /** Sets a fixed time between blocks; undefined follows real time again. Returns whether one was set before. */
    setInterval(time: number | undefined): boolean {
      const wasSet = interval !== undefined
      interval = time === undefined ? undefined : checked(time)
      return wasSet
    },
    /** Moves the clock to the time of a restored chain. */
    resume: () => void (ahead = Math.max(0, headTime() - wall())),
    /** Lets time pass from a date on, or from the newest block if that is later. */
    startAt(time: number): void {
      if (!repeatable) ahead = Math.max(checked(time), headTime()) - wall()
    },
    /** Returns a function that restores the current time. */
    mark(): () => void {
      const kept = { chosen, interval, time: now() }
      return () => {
        ;({ chosen, interval } = kept)
        ahead += kept.time - now()
      }
    },
  }
}

export declare namespace createClock {
  type Options = {
    /** Time of the newest block. */
    headTime: () => number
    now: () => number
    /** Whether time starts at a fixed date and advances one slot a block. */
    repeatable: boolean
    /** The fixed date, milliseconds. @default {@link SEEDED_START} */
    start?: number | undefined
    /** Block times are multiples of this, and at least this far apart: 1 as on a real chain, 1,000 to give each block its own second. */
    step: number
  }
}
