import { burstOf, DAY_MS, type Limits } from './caller.ts'
import type { LimitName } from './refusal.ts'

/** Counts the units of all callers, in this process or in Redis. */
export type LimitStore = {
  /**
   * Charges debt, then grants units if at least `need` of them are affordable under every limit at once, else none. Returned
   * units are a negative debt.
   */
  take(id: string, limits: Limits, request: LimitRequest): Grant | Promise<Grant>
}

/** What an account asks the store for. */
export type LimitRequest = {
  /** Units that were used already, and are charged in any case. */
  debt: number
  /** The smallest grant that helps. */
  need: number
  /** The largest grant. */
  want: number
}

/** The answer of a store. */
export type Grant = {
  /** Units that were granted: 0, or from `need` to `want`. */
  granted: number
  /** Units that are left under the tightest limit. */
  remaining: number
  /** The tightest limit. */
  limit: Extract<LimitName, 'daily' | 'rate'>
  /** Milliseconds until `need` is affordable; 0 when it was granted. */
  retryAfterMs: number
}

/** What is kept of a caller. `full`: milliseconds since 1970 at which its burst is whole again; `at`: when that was counted. */
export type Tally = { full: number; day: number; used: number; at: number }

/** One step of the limiter, in place: the same steps as the Lua script of `redisStore.ts`. */
export function takeFrom(
  tally: Tally,
  limits: Limits,
  { debt, need, want }: LimitRequest,
  now: number,
): Grant {
  const day = Math.floor(now / DAY_MS)
  if (tally.day < day) tally.used = 0
  // The clock was set back. Otherwise every caller would be refused until it has been reached again.
  if (now < tally.at) tally.full -= tally.at - now
  Object.assign(tally, { at: now, day })
  // Returned units never make more than a whole burst.
  const perUnit = limits.rate === undefined ? 0 : 1_000 / limits.rate
  tally.full = Math.max(tally.full, now) + debt * perUnit
  tally.used = Math.max(0, tally.used + debt)
  const burst = limits.rate === undefined ? Infinity : burstOf(limits)
  const ofRate = burst - Math.max(0, tally.full - now) / (perUnit || 1)
  const ofDay = limits.daily === undefined ? Infinity : limits.daily - tally.used
  const limit = ofDay < ofRate ? 'daily' : 'rate'
  const left = Math.min(ofRate, ofDay)
  if (left + ROUNDING < need) {
    const retryAfterMs = ofDay < need ? (day + 1) * DAY_MS - now : (need - ofRate) * perUnit
    return { granted: 0, limit: ofDay < need ? 'daily' : 'rate', remaining: left, retryAfterMs }
  }
  const granted = Math.max(need, Math.min(want, left))
  tally.full += granted * perUnit
  tally.used += granted
  return { granted, limit, remaining: left - granted, retryAfterMs: 0 }
}

/** Units that sums of fractions may lack. */
export const ROUNDING = 1e-6

/** Counts in the memory of this process. */
export function createMemoryLimitStore({ now = Date.now }: createMemoryLimitStore.Options = {}) {
  const tallies = new Map<string, Tally>()

  /** Drops callers with a whole burst and no use today; if there are few of them, also those whose last call is the oldest. */
  function drop(time: number) {
    const day = Math.floor(time / DAY_MS)
    for (const [id, { full, used, day: last }] of tallies) {
      if (full <= time && (used === 0 || last !== day)) tallies.delete(id)
      if (tallies.size < MOST_TALLIES / 2) return
    }
    // Many at once, because the next new caller would have to look at all of them again.
    for (const id of tallies.keys()) {
      if (tallies.size <= KEPT_TALLIES) return
      tallies.delete(id)
    }
  }

  function tallyOf(id: string, time: number): Tally {
    const tally = tallies.get(id) ?? { full: 0, day: 0, used: 0, at: 0 }
    // The map is in the order of the last call.
    tallies.delete(id)
    // Before the new one is added, which has used nothing yet.
    if (tallies.size >= MOST_TALLIES) drop(time)
    tallies.set(id, tally)
    return tally
  }

  return {
    take(id: string, limits: Limits, request: LimitRequest): Grant {
      const time = now()
      return takeFrom(tallyOf(id, time), limits, request, time)
    },
    /** Takes units that another store granted from the burst, until it is empty. The units of the day do not change. */
    drain(id: string, limits: Limits, units: number): void {
      if (limits.rate === undefined) return
      const time = now()
      const tally = tallyOf(id, time)
      const drained = Math.max(tally.full, time) + (units * 1_000) / limits.rate
      tally.full = Math.min(drained, time + (burstOf(limits) * 1_000) / limits.rate)
    },
  }
}

export declare namespace createMemoryLimitStore {
  type Options = {
    /** Milliseconds since 1970. @default Date.now */
    now?: () => number
  }
}

/** Callers that are kept: 20 MB. A caller that was dropped starts with a whole burst. */
const MOST_TALLIES = 100_000

/** Callers that are left when too many have used something. */
const KEPT_TALLIES = 0.9 * MOST_TALLIES
