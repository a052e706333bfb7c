import type { Call } from '../../lib/call.ts'
import { createFairLimit } from '../../lib/fairLimit.ts'

/** Bytes of rows that a search may hold without a place. */
const SMALL = 256 * 1024

/** The same of all searches without a place together. */
const ALL_SMALL = 32 * 1024 * 1024

/** Places: searches that may hold more at the same time. The rows of one search have at most about 6 MB. */
const PLACES = 16

/** The memory of the rows of one search until its answer is complete. */
export type SearchMemory = ReturnType<ReturnType<typeof createSearchMemory>['open']>

/**
 * Bounds the memory of concurrent searches: many clients may request large answers at the same time, and an answer counts
 * as unsent only when it is complete. A search with few rows waits only while very many others hold rows.
 */
export function createSearchMemory({
  allSmall = ALL_SMALL,
  places = PLACES,
  small = SMALL,
}: createSearchMemory.Options = {}) {
  const limit = createFairLimit(places)
  /** Bytes of the searches without a place. */
  let total = 0

  return {
    /** @param call - the search, whose caller waits for its turn */
    open(call?: Call) {
      let held = 0
      let hasPlace = false
      let waiting: Promise<void> | undefined
      let isOver = false
      let release = () => {}

      /** Ends the count among the searches without a place. */
      function leave() {
        if (!hasPlace && !isOver) total -= held
      }

      return {
        /** Undefined when the search may read more rows now. Otherwise it waits for a place. Call it before each read. */
        room(): Promise<void> | undefined {
          if (hasPlace || (held <= small && total <= allSmall)) return undefined
          waiting ??= new Promise((resolve) => {
            void limit(async () => {
              resolve()
              if (isOver) return
              leave()
              hasPlace = true
              await new Promise<void>((end) => (release = end))
            }, call)
          })
          return waiting
        },
        /** Adds the bytes of rows that were read. */
        add(bytes: number): void {
          held += bytes
          if (!hasPlace && !isOver) total += bytes
        },
        /** Ends the search. */
        free(): void {
          leave()
          isOver = true
          release()
        },
      }
    },
  }
}

export declare namespace createSearchMemory {
  type Options = {
    /** Bytes that all searches without a place may hold. @default 32 MiB */
    allSmall?: number
    /** Maximum number of concurrent searches that hold more than `small` bytes. @default 16 */
    places?: number
    /** Bytes that a search may hold without a place. @default 256 KiB */
    small?: number
  }
}

/** The memory for all searches of this process. */
export const searchMemory = createSearchMemory()
