/** How fast the share of a worker may grow: to this multiple of what it uses, in a second. */
const GROWTH = 4

/** The share that a worker without calls keeps, as a part of an equal share, so that its first calls do not wait long. */
const LEAST = 1 / 4

/**
 * Divides the rates of nodes between workers. Each gets what it uses and room to grow. When that is more than there is, those who
 * use little get it, and the others equal parts of the rest. What is left is divided equally.
 *
 * @param used - the part of the whole that each worker used in the last second, from 0 to 1
 * @returns the share of each, together 1
 */
export function sharesOf(used: readonly number[]): number[] {
  const count = used.length
  const wants = used.map((part, index) => ({
    index,
    share: Math.max(LEAST / count, part * GROWTH),
  }))
  const shares = used.map(() => 0)
  let left = 1
  for (const [position, want] of wants.toSorted((a, b) => a.share - b.share).entries()) {
    const share = Math.min(want.share, left / (count - position))
    shares[want.index] = share
    left -= share
  }
  return shares.map((share) => share + left / count)
}
