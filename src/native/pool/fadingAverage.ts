/** The part of the average that one more measurement leaves as it was. */
const KEPT = 0.9

/** Milliseconds without a measurement in which the average falls by half. */
const HALF_LIFE = 5_000

/** Milliseconds in which it does not fall, because a power takes longer than the rest of the choice of a node. */
const STEADY = 50

/**
 * The average of recent measurements. Calls go to the node with the lowest average, so a node that was once slow gets no calls. Its average falls in that time, until it is
 * tried again. After such a pause the next measurement counts for most of the average.
 *
 * `time` is in monotonic milliseconds.
 */
export function createFadingAverage() {
  let average = 0
  let at = Number.NEGATIVE_INFINITY
  function left(time: number): number {
    const passed = time - at
    return passed < STEADY ? 1 : 2 ** (-passed / HALF_LIFE)
  }
  return {
    add(measured: number, time: number) {
      const kept = KEPT * left(time)
      average = average * kept + measured * (1 - kept)
      at = time
    },
    /** Falls while nothing is measured. 0 before the first measurement. */
    value: (time: number) => average * left(time),
  }
}
