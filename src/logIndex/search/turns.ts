/** Milliseconds of work in one turn of a search. */
export const TURN = 5

/** Every fourth turn goes to the search that has waited longest, so that every search ends. */
const OLDEST_EVERY = 4

/**
 * The turns of the searches of one thread. The thread receives new calls between two turns. The search that has worked least has
 * the next turn, so that a short one does not wait until long ones end. Searches that have worked about as much have turns in the
 * order of their arrival.
 */
export function createTurns() {
  const waiting: { grade: number; resume: () => void }[] = []
  let turns = 0

  function give(): void {
    turns += 1
    let best = 0
    if (turns % OLDEST_EVERY !== 0)
      for (const [index, { grade }] of waiting.entries())
        if (grade < (waiting[best]?.grade ?? 0)) best = index
    const [next] = waiting.splice(best, 1)
    if (waiting.length > 0) setImmediate(give)
    next?.resume()
  }

  return {
    /** Resolves when it is the turn of a search. @param worked - milliseconds that it has worked so far */
    next: (worked: number) =>
      new Promise<void>((resume) => {
        if (waiting.push({ grade: gradeOf(worked), resume }) === 1) setImmediate(give)
      }),
  }
}

/** Doubles of doubles of a turn: 0 below 20 ms, 1 below 80 ms. */
function gradeOf(worked: number): number {
  return Math.max(0, Math.floor(Math.log2(worked / TURN) / 2))
}
