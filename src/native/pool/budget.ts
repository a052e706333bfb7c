/** Extra calls that may be made: a part of the calls that were made anyway. Keeps repetitions from making an overload worse. */
export type Budget = ReturnType<typeof createBudget>

/** Hedges for each call. */
export const HEDGES = { part: 0.05, reserve: 10 }

/** Repetitions at another node, or after a pause, for each call. */
export const RETRIES = { part: 0.1, reserve: 100 }

/**
 * @param part - extra calls for each call, such as 0.1.
 * @param reserve - extra calls that can be saved up, for the moment in which a node fails.
 */
export function createBudget({ part, reserve }: { part: number; reserve: number }) {
  let left = reserve
  return {
    /** One call was made for a client. */
    earn() {
      left = Math.min(reserve, left + part)
    },
    /** Uses one extra call; false when the budget is used up. */
    spend() {
      if (left < 1) return false
      left -= 1
      return true
    },
  }
}
