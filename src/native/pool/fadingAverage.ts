/** The average of recent measurements. */
export type FadingAverage = {
  readonly add: (measured: number) => void
  /** Falls while nothing is measured. 0 before the first measurement. */
  readonly value: () => number
}

/** The part of the average that one more measurement leaves as it was. */
const KEPT = 0.9

/** Milliseconds without a measurement in which the average falls by half. */
const HALF_LIFE = 5_000

/** Milliseconds in which it does not fall, because a power takes longer than the rest of the choice of a node. */
const STEADY = 50

/**
 * Calls go to the node with the lowest average, so a node that was once slow gets no calls. Its average falls in that time, until it is
 * tried again. After such a pause the next measurement counts for most of the average.
 *
 * @param now - monotonic milliseconds
 */
export function createFadingAverage(now: () => number): FadingAverage {
  let average = 0
  let at = Number.NEGATIVE_INFINITY
  function left(): number {
    const passed = now() - at
    return passed < STEADY ? 1 : 2 ** (-passed / HALF_LIFE)
  }
  return {
    add(measured) {
      const kept = KEPT * left()
      average = average * kept + measured * (1 - kept)
      at = now()
    },
    value: () => average * left(),
  }
}
