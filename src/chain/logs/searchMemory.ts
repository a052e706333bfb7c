import { createFairLimit } from '../../lib/fairLimit.ts'

/** Bytes of rows that a search may hold without waiting. */
const SMALL = 256 * 1024

/** Maximum number of concurrent searches that hold more than that. The rows of one search have at most about 6 MB. */
const LARGE_SEARCHES = 16

/** The memory of the rows of one search until its answer is complete. */
export type SearchMemory = {
  /** Adds the bytes of found rows. Waits while the search is large and the allowed number of large searches run. */
  add(bytes: number): Promise<void> | undefined
  /** Ends the search. */
  free(): void
}

/**
 * Bounds the memory of concurrent searches: many clients may request large answers at the same time, and an answer counts
 * as unsent only when it is complete. A search with few rows never waits.
 */
export function createSearchMemory({
  largeSearches = LARGE_SEARCHES,
  small = SMALL,
}: createSearchMemory.Options = {}): {
  /** @param caller - the signal of the search, whose caller waits for its turn */
  open(caller?: object): SearchMemory
} {
  const large = createFairLimit(largeSearches)

  return {
    open(caller) {
      let held = 0
      let waiting: Promise<void> | undefined
      let isOver = false
      let release = () => {}
      return {
        add(bytes) {
          held += bytes
          if (held <= small) return undefined
          waiting ??= new Promise((resolve) => {
            void large(async () => {
              resolve()
              if (!isOver) await new Promise<void>((end) => (release = end))
            }, caller)
          })
          return waiting
        },
        free() {
          isOver = true
          release()
        },
      }
    },
  }
}

export declare namespace createSearchMemory {
  type Options = {
    /** Maximum number of concurrent searches that hold more than `small` bytes. @default 16 */
    largeSearches?: number
    /** Bytes that a search may hold without waiting. @default 256 KiB */
    small?: number
  }
}

/** The memory for all searches of this process. */
export const searchMemory = createSearchMemory()
