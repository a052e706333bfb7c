/** Milliseconds between the slots of the chain. */
const SLOT = 3_000

/** Milliseconds between polls without a rhythm; also what bounds the idle calls to two a second. */
const STEADY = 500

/** Milliseconds between polls while a block is due. */
const EAGER = 200

/** The longest wait with a rhythm: a branch switch does not keep to the slots. */
const SPARSE = 1_000

/** Polls start this long before the earliest that a block came after its slot, and stay eager this long after. */
const EARLY = 100
const LATE = 1_200

/** Arrivals in a row that make a rhythm. */
const STEPS = 3

/** Slots without a block after which the rhythm is lost. */
const LOST = 3

/** When to look at the node next: sparsely until the next slot is due, then eagerly; steadily while there is no rhythm. */
export type Rhythm = {
  /** A new head was seen; `timestamp` is its own time. All in milliseconds. */
  seen(timestamp: number, now: number): void
  /** Milliseconds until the next poll. */
  delay(now: number): number
}

/** Learns how long after its slot a block shows up, from the last few arrivals. */
export function createRhythm(): Rhythm {
  let arrivals: { timestamp: number; lag: number }[] = []

  return {
    seen(timestamp, now) {
      const last = arrivals.at(-1)
      const lag = now - timestamp
      const fits =
        last &&
        timestamp > last.timestamp &&
        (timestamp - last.timestamp) % SLOT === 0 &&
        Math.abs(lag - last.lag) < SLOT / 3
      arrivals = [...(fits ? arrivals.slice(-9) : []), { timestamp, lag }]
    },
    delay(now) {
      const last = arrivals.at(-1)
      if (!last || arrivals.length < STEPS) return STEADY
      // Each look may be late by one interval: lean towards earlier.
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
