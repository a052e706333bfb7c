/** What a worker gets, as a multiple of what it uses: if it uses nearly all of its share, and otherwise. */
const GROWTH = 4
const ROOM = 1.5

/** The part of its share from which on a worker uses nearly all. */
const FULL = 0.8

/** The share that a worker without calls keeps, as a part of an equal share, so that its first calls do not wait long. */
const LEAST = 1 / 4

/**
 * Divides the rates of nodes between workers. Each gets what it uses and room to grow. If the sum is above the whole, workers that
 * use little get it, and the others get equal parts of the rest. If it is below, the rest is divided equally.
 *
 * @param workers - the share that each has, and the part of the whole that it used in the last second, both from 0 to 1
 * @returns the share of each, together 1
 */
export function sharesOf(workers: readonly { share: number; used: number }[]): number[] {
  const count = workers.length
  const wants = workers.map(({ share, used }, index) => ({
    index,
    share: Math.max(LEAST / count, used * (used > share * FULL ? GROWTH : ROOM)),
  }))
  const shares = workers.map(() => 0)
  let left = 1
  for (const [position, want] of wants.toSorted((a, b) => a.share - b.share).entries()) {
    const share = Math.min(want.share, left / (count - position))
    shares[want.index] = share
    left -= share
  }
  return shares.map((share) => share + left / count)
}
