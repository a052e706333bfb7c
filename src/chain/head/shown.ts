/** The number of polls, and the milliseconds since the first of them, that are long enough. */
export type ShownLimit = { polls: number; time: number }

/** How long the node has shown something that contradicts our window, such as another branch. */
export type Shown = {
  /** Counts a poll in which the node showed it. */
  seen(): void
  /** The node no longer shows it. */
  clear(): void
  isShown(): boolean
  isLongEnough(): boolean
}

/** Counts from the first `seen()` after the start or a `clear()`. @param now - monotonic milliseconds */
export function createShown(limit: ShownLimit, now: () => number): Shown {
  let polls = 0
  let since = 0
  return {
    seen() {
      if (polls === 0) since = now()
      polls += 1
    },
    clear() {
      polls = 0
    },
    isShown: () => polls > 0,
    isLongEnough: () => polls >= limit.polls && now() - since >= limit.time,
  }
}
