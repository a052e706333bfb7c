/** Something that is due at a time, unless it is removed before. */
export type DueEntry = {
  /** Monotonic milliseconds. */
  dueAt: number
  /** Its place in the list, -1 outside. Set by the list. */
  at: number
  /** Called once, a tick late at most. */
  onDue(): void
}

/** Waits of many calls, most of which end early: one timer for all costs less than one for each. */
export type DueList = {
  add(entry: DueEntry): void
  /** Does nothing for an entry that is not in the list. */
  remove(entry: DueEntry): void
}

/** Milliseconds between two looks at the list. */
const TICK = 10

export function createDueList({
  now = () => performance.now(),
}: createDueList.Options = {}): DueList {
  // A Set would do. But a Set that changes all the time keeps what was in it until the next full garbage collection.
  const entries: DueEntry[] = []
  let timer: NodeJS.Timeout | undefined

  function look(): void {
    timer = undefined
    const time = now()
    for (const entry of entries.filter(({ dueAt }) => dueAt <= time)) {
      // Another one may have removed it meanwhile.
      if (entry.at === -1) continue
      remove(entry)
      entry.onDue()
    }
    if (entries.length > 0) lookLater()
  }

  function lookLater(): void {
    timer ??= setTimeout(look, TICK).unref()
  }

  function remove(entry: DueEntry): void {
    if (entry.at === -1) return
    const last = entries.pop() as DueEntry
    if (last !== entry) {
      entries[entry.at] = last
      last.at = entry.at
    }
    entry.at = -1
  }

  return {
    add(entry) {
      entry.at = entries.push(entry) - 1
      lookLater()
    },
    remove,
  }
}

export declare namespace createDueList {
  type Options = {
    /** Milliseconds. @default performance.now */
    now?: () => number
  }
}
