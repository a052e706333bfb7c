/** The number of polls and the milliseconds since the first of them after which a contradiction is confirmed. */
export type ContradictionLimit = { polls: number; time: number }

/**
 * How long the node has shown something that contradicts our window, such as another branch. Counts from the first `seen()` after
 * the start or a `clear()`.
 *
 * @param now - monotonic milliseconds
 */
export function createContradiction(limit: ContradictionLimit, now: () => number) {
  let polls = 0
  let since = 0
  return {
    /** Counts a poll with the contradiction. */
    seen(): void {
      if (polls === 0) since = now()
      polls += 1
    },
    /** Starts anew: a poll had no contradiction. */
    clear(): void {
      polls = 0
    },
    isSeen: () => polls > 0,
    isConfirmed: () => polls >= limit.polls && now() - since >= limit.time,
  }
}
