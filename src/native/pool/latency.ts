/** Latencies of the recent calls of one kind. Milliseconds. */
export type Latency = ReturnType<typeof createLatency>

/** Number of calls in the sample: enough for a 95th percentile, few enough to follow a change within seconds. */
const SAMPLES = 128

/** Minimum number of calls for the 95th percentile. */
const ENOUGH = 20

export function createLatency() {
  const samples = new Float64Array(SAMPLES)
  let count = 0
  // Sorted in place, because a new array for each time takes longer than the sorting. They are sorted again
  // after SAMPLES new calls, and earlier while there were few calls.
  const sorted = new Float64Array(SAMPLES)
  let sortedAt = 0

  function quantile(part: number): number | undefined {
    if (count === 0) return undefined
    if (sortedAt === 0 || count - sortedAt >= Math.min(SAMPLES, sortedAt / 2)) {
      sorted.set(samples)
      sortedAt = count
      sorted.subarray(0, Math.min(sortedAt, SAMPLES)).sort()
    }
    const known = Math.min(sortedAt, SAMPLES)
    return sorted[Math.min(known - 1, Math.floor(known * part))]
  }

  return {
    add(milliseconds: number) {
      samples[count % SAMPLES] = milliseconds
      count++
    },
    /** The value that the given part of the recent calls stayed below; undefined without a call. */
    quantile,
    /** The 95th percentile of the recent calls; undefined while there are too few calls. */
    p95: () => (count < ENOUGH ? undefined : quantile(0.95)),
  }
}

/** Milliseconds of a period. The quickest call is that of the current period and the one before. */
const PERIOD = 600_000

/**
 * The quickest of the recent calls. It shows the round trip to the node, also while the node is busy. `time` is in monotonic
 * milliseconds.
 */
export function createQuickest() {
  let before = Number.POSITIVE_INFINITY
  let least = Number.POSITIVE_INFINITY
  let since = 0
  return {
    add(milliseconds: number, time: number) {
      if (time - since > PERIOD) {
        before = least
        least = Number.POSITIVE_INFINITY
        since = time
      }
      least = Math.min(least, milliseconds)
    },
    /** Milliseconds; undefined without a call. */
    value(): number | undefined {
      const quickest = Math.min(before, least)
      return Number.isFinite(quickest) ? quickest : undefined
    },
  }
}
