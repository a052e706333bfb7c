/** Something that is due at a time, unless it is removed before. */
export type DueEntry = {
  /** Monotonic milliseconds. */
  dueAt: number
  /** Its place in the list, -1 outside. Set by the list. */
  at: number
}

/** Milliseconds that an entry may be late, and the shortest time between two checks of the list. */
const TICK = 10

/**
 * The deadlines of many calls. Most calls end early, so one timer for all costs less than one for each. `onDue` is called once for each
 * entry that is due.
 */
export function createDueList<entry extends DueEntry>({
  now = () => performance.now(),
  onDue,
}: createDueList.Options<entry>) {
  // Not a Set: a Set that changes all the time keeps removed entries until the next full garbage collection.
  const entries: entry[] = []
  let timer: NodeJS.Timeout | undefined
  /** Time of the next check, in monotonic milliseconds; infinite without a timer. */
  let checkAt = Number.POSITIVE_INFINITY

  function check(): void {
    checkAt = Number.POSITIVE_INFINITY
    const time = now()
    for (const entry of entries.filter(({ dueAt }) => dueAt <= time)) {
      // Another one may have removed it meanwhile.
      if (entry.at === -1) continue
      remove(entry)
      onDue(entry)
    }
    for (const { dueAt } of entries) checkBy(dueAt)
  }

  /** Sets the timer, unless the next check is soon enough. Most calls end long before they are due, so few set it. */
  function checkBy(dueAt: number): void {
    if (dueAt > checkAt - TICK) return
    const time = now()
    const wait = Math.ceil(Math.max(TICK, dueAt - time))
    checkAt = time + wait
    clearTimeout(timer)
    timer = setTimeout(checkSoon, wait).unref()
  }

  /** Node.js reads sockets after timers and before immediates, so answers that arrived while the event loop was blocked are read first. */
  function checkSoon(): void {
    // The check is already scheduled, so no timer is set before it.
    checkAt = Number.NEGATIVE_INFINITY
    setImmediate(check)
  }

  function remove(entry: entry): void {
    if (entry.at === -1) return
    const last = entries.pop() as entry
    if (last !== entry) {
      entries[entry.at] = last
      last.at = entry.at
    }
    entry.at = -1
  }

  return {
    /** Adds an entry. Call it again when an entry of the list becomes due earlier. */
    add(entry: entry) {
      if (entry.at === -1) entry.at = entries.push(entry) - 1
      checkBy(entry.dueAt)
    },
    /** Does nothing for an entry that is not in the list. */
    remove,
  }
}

export declare namespace createDueList {
  type Options<entry extends DueEntry> = {
    /** Called once for each entry that is due, a tick late at most. The entry is no longer in the list. */
    onDue: (entry: entry) => void
    /** Milliseconds. @default performance.now */
    now?: () => number
  }
}
