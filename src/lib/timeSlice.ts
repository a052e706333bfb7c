/** Taken now, so that a test which replaces timers does not stop long work. */
const onNextTurn = setImmediate

/**
 * Shares the event loop among long synchronous work: each turn of the loop gives it a few milliseconds, so that short
 * requests are answered between its slices. All long work of the process uses the same instance.
 */
export type TimeSlice = {
  /** Whether work must wait: this turn's time is used up, or others wait already. Cheap; asked between slices. */
  isOver(): boolean
  /** Resolves when there is time, in the order of asking. */
  next(): Promise<void>
  /** No long work in this turn, so that the next one comes at once: something comes that is seen one at a time in each turn. */
  giveWay(): void
}

/** Long work does `if (timeSlice.isOver()) await timeSlice.next()` before it begins and about every millisecond. */
export function createTimeSlice({
  budget = 5,
  now = () => performance.now(),
}: createTimeSlice.Options = {}): TimeSlice {
  /** When long work began in this turn; undefined while none has. */
  let began: number | undefined
  /** When long work began last. */
  let worked = Number.NEGATIVE_INFINITY
  let isAway = false
  const waiting: (() => void)[] = []
  /** Callbacks that will each let one go on. */
  let armed = 0

  function isUsedUp(): boolean {
    if (isAway) return true
    if (began !== undefined) return now() - began >= budget
    began = worked = now()
    onNextTurn(() => {
      began = undefined
    })
    return false
  }

  /** One callback for each that waits: Node runs what follows a resolved promise between callbacks, not after all. */
  function arm() {
    while (armed < Math.min(waiting.length, MAX_ARMED)) {
      armed++
      onNextTurn(() => {
        armed--
        if (!isUsedUp()) waiting.shift()?.()
        // From here, a callback runs in the next turn.
        arm()
      })
    }
  }

  return {
    isOver: () => waiting.length > 0 || isUsedUp(),
    next: () =>
      new Promise((resolve) => {
        waiting.push(resolve)
        arm()
      }),
    giveWay() {
      if (isAway || now() - worked > MOST_AWAY) return
      isAway = true
      // Runs after the callbacks of those that wait, which find that it is not their turn.
      onNextTurn(() => {
        isAway = false
      })
    },
  }
}

export declare namespace createTimeSlice {
  type Options = {
    /** Milliseconds of long work in one turn. @default 5 */
    budget?: number
    /** Milliseconds. @default performance.now */
    now?: () => number
  }
}

/** The time slices of this process. */
export const timeSlice = createTimeSlice()

/** Milliseconds for which long work gives way at most. */
const MOST_AWAY = 50

/** Callbacks a turn: as many slices as fit into it when they are short. */
const MAX_ARMED = 16
