/** Milliseconds between the slots of the chain. */
export const SLOT = 3_000

/** Milliseconds between polls until the slots are known: two idle calls a second. */
const STEADY = 500

/** Milliseconds between polls while a block is due. */
const EAGER = 200

/** The longest pause once the slots are known, because a reorg can come at any time. */
const SPARSE = 1_000

/** Eager polls start this long before the earliest arrival after a slot, and continue this long after it. */
const EARLY = 100
const LATE = 1_200

/** Arrivals in a row that make the slots known. */
const ARRIVALS = 3

/** Number of empty slots after which the slots count as unknown again. */
const LOST = 3

/**
 * Decides when to poll the node: rarely until the next slot is due, then often. While the slots are unknown, the interval
 * is fixed.
 */
export type PollSchedule = ReturnType<typeof createPollSchedule>

/** Learns from the last few blocks how long after its slot a block arrives. */
export function createPollSchedule() {
  let arrivals: { timestamp: number; lag: number }[] = []

  return {
    /** Records a new head and its `timestamp`. Times are milliseconds. */
    blockSeen(timestamp: number, now: number): void {
      const last = arrivals.at(-1)
      const lag = now - timestamp
      const fits =
        last &&
        timestamp > last.timestamp &&
        (timestamp - last.timestamp) % SLOT === 0 &&
        Math.abs(lag - last.lag) < SLOT / 3
      arrivals = [...(fits ? arrivals.slice(-9) : []), { timestamp, lag }]
    },
    /** Milliseconds until the next poll. */
    delay(now: number): number {
      const last = arrivals.at(-1)
      if (!last || arrivals.length < ARRIVALS) return STEADY
      // A poll notices a block late by up to one interval, so the earliest arrival is the best estimate.
      const phase = Math.min(...arrivals.map(({ lag }) => lag)) - EARLY
      const since = now - last.timestamp - phase
      const slots = Math.max(1, Math.ceil((since - LATE) / SLOT))
      if (slots > LOST) return STEADY
      const wait = slots * SLOT - since
      if (wait <= 0) return EAGER
      return Math.min(wait, slots > 1 ? STEADY : SPARSE)
    },
  }
}
