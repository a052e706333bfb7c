import type { Call } from './call.ts'
import { createFairQueue } from './fairQueue.ts'

/** The real function, so that a test which replaces timers does not stop long work. */
const onNextTurn = setImmediate

/**
 * Shares the event loop among long synchronous work: each event loop tick has a time slice of a few milliseconds for it, so
 * that short requests are answered between the slices. All long work of the process uses the same instance.
 */
export type TimeSlice = ReturnType<typeof createTimeSlice>

/** Long work does `if (timeSlice.isOver()) await timeSlice.next()` before it begins and about every millisecond. */
export function createTimeSlice({
  budget = 1,
  now = () => performance.now(),
}: createTimeSlice.Options = {}) {
  /** The time at which long work began in this tick; undefined before it. */
  let began: number | undefined
  /** The time at which long work began last. */
  let worked = Number.NEGATIVE_INFINITY
  let isPaused = false
  const waiting = createFairQueue<() => void>()
  /** Scheduled callbacks. Each lets one waiter continue. */
  let armed = 0
  let steps: ((now: number) => void)[] = []

  function runSteps() {
    const due = steps
    steps = []
    const time = now()
    for (const step of due) step(time)
  }

  function isUsedUp(): boolean {
    if (isPaused) return true
    if (began !== undefined) return now() - began >= budget
    began = worked = now()
    onNextTurn(() => {
      began = undefined
    })
    return false
  }

  /** Schedules one callback for each waiter, because Node runs the work after a resolved promise between two callbacks. */
  function arm() {
    while (armed < Math.min(waiting.size, MAX_ARMED)) {
      armed++
      onNextTurn(() => {
        armed--
        // The callbacks of waiters were scheduled in the tick before, so they come before those of steps.
        runSteps()
        if (!isUsedUp()) waiting.shift()?.()
        // A callback that is scheduled here runs in the next tick.
        arm()
      })
    }
  }

  return {
    /** Whether work must wait: the time slice of this tick is used up, or other work waits. Cheap, for checks in loops. */
    isOver: () => waiting.size > 0 || isUsedUp(),
    /**
     * Resolves when there is time. Callers that wait get slices in turn, however many requests each has.
     *
     * @param call - what the work is for
     */
    next: (call?: Call) =>
      new Promise<void>((resolve) => {
        waiting.add(resolve, call?.caller?.id, call?.caller?.limits.weight)
        arm()
      }),
    /**
     * Runs a step at the end of this tick, before the long work that waits: for answers that are ready. It must not throw.
     *
     * @param step - gets the time, milliseconds
     */
    first(step: (now: number) => void) {
      if (steps.push(step) === 1) onNextTurn(runSteps)
    },
    /** Pauses long work for this tick, so that the next tick comes at once. For events that arrive one in each tick. */
    pause() {
      if (isPaused || now() - worked > MAX_PAUSE) return
      isPaused = true
      // Runs after the callbacks of the waiters, which find that they must wait.
      onNextTurn(() => {
        isPaused = false
      })
    },
  }
}

export declare namespace createTimeSlice {
  type Options = {
    /** Milliseconds of long work in one tick. @default 1 */
    budget?: number
    /** Milliseconds. @default performance.now */
    now?: () => number
  }
}

/** The time slices of this process. */
export const timeSlice = createTimeSlice()

/** Maximum milliseconds for which long work pauses. */
const MAX_PAUSE = 50

/** Callbacks of one tick: the number of short slices that fit into it. */
const MAX_ARMED = 16
