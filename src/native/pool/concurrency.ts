/** The limit of calls in flight to a node, adapted to its latency. */
export type Concurrency = ReturnType<typeof createConcurrency>

const LEAST = 8

/** A latency this many times the best one means that calls wait inside the node. */
const TOLERANCE = 5

/** Below this latency, milliseconds, waiting inside the node does not matter. */
const UNNOTICED = 50

/** How fast the best latency loses weight, because the node may have become slower permanently. */
const DRIFT = 1.001

/**
 * Additive increase, multiplicative decrease: one more call at a time while the limit is used and the latency stays near
 * its best, a tenth less when it has risen to several times that, half after a rate-limit answer.
 */
export function createConcurrency({ most }: { most: number }) {
  const least = Math.min(LEAST, most)
  let limit = most
  let best = Number.POSITIVE_INFINITY
  let average = 0
  let sinceChange = 0

  return {
    limit: () => Math.floor(limit),
    /** Records a successful call: its milliseconds, and the number of calls in flight. */
    observe(milliseconds: number, inFlight: number) {
      best = Math.min(best * DRIFT, milliseconds)
      average = average === 0 ? milliseconds : average * 0.9 + milliseconds * 0.1
      sinceChange++
      if (sinceChange < limit) return
      sinceChange = 0
      // A node that is slow with few calls in flight does not get faster with fewer.
      const isFull = inFlight >= limit * 0.8
      if (isFull && average > UNNOTICED && average > best * TOLERANCE)
        limit = Math.max(least, limit * 0.9)
      else if (inFlight >= limit / 2) limit = Math.min(most, limit + 1)
    },
    /** A call ended because the node has too much to do. */
    overload() {
      limit = Math.max(least, limit / 2)
      sinceChange = 0
    },
  }
}
