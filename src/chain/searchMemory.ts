import pLimit from 'p-limit'

/** Bytes of rows that a search may hold without waiting. */
const SMALL = 256 * 1024

/** Searches at once that hold more than that. The rows of one have about 6 MB at most. */
const LARGE_SEARCHES = 16

/** The memory that the rows of one search take until its answer is complete. */
export type SearchMemory = {
  /** Counts the rows that were found. Waits when the search becomes large while enough others are. */
  add(bytes: number): Promise<void> | undefined
  /** Ends the search. */
  free(): void
}

/**
 * Bounds the memory of searches that run at the same time: many clients may ask for large answers at once, and an
 * answer counts as unsent only when it is complete. A search of few rows never waits.
 */
export function createSearchMemory({
  largeSearches = LARGE_SEARCHES,
  small = SMALL,
}: createSearchMemory.Options = {}): { open(): SearchMemory } {
  const large = pLimit(largeSearches)

  return {
    open() {
      let held = 0
      let waiting: Promise<void> | undefined
      let isOver = false
      let release = () => {}
      return {
        add(bytes) {
          held += bytes
          if (held <= small) return undefined
          waiting ??= new Promise((resolve) => {
            void large(() => {
              resolve()
              return isOver ? undefined : new Promise<void>((end) => (release = end))
            })
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
    /** Searches at once that hold more than `small` bytes. @default 16 */
    largeSearches?: number
    /** Bytes that a search may hold without waiting. @default 256 KiB */
    small?: number
  }
}

/** The memory for searches of this process. */
export const searchMemory = createSearchMemory()
