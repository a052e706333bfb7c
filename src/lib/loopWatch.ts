/** Measures the delay of the event loop, and finds the call that blocked it. */
export type LoopWatch = ReturnType<typeof createLoopWatch>

/**
 * Detects a blocked event loop: a long gap between two events, in which its timer should have run. If the gap ends with the
 * end of a call, that call blocked the loop. Otherwise it was the call that started last. Work in the middle of a call,
 * between two waits, has no name.
 */
export function createLoopWatch({
  interval = 50,
  now = () => performance.now(),
  onBlocked,
  onDelay,
  threshold = 200,
}: createLoopWatch.Options) {
  let last = now()
  let lastBeat = last
  let delay = 0
  let entered: string | undefined

  function mark(left: string | undefined): number {
    const time = now()
    const gap = time - last
    last = time
    // The timer may have been due at any time in the gap.
    if (gap - interval > threshold) onBlocked({ method: left ?? entered, ms: gap })
    entered = undefined
    return time
  }

  const timer = setInterval(() => {
    mark(undefined)
    delay = Math.max(0, last - lastBeat - interval)
    onDelay(delay)
    lastBeat = last
  }, interval)
  timer.unref()

  return {
    /** Records the start of a call. @returns the time, milliseconds */
    enter(name: string) {
      const time = mark(undefined)
      entered = name
      return time
    },
    /** Records the end of a call. @returns the time, milliseconds */
    leave: mark,
    /** The last delay of the event loop, milliseconds. */
    delay: () => delay,
    stop: () => clearInterval(timer),
  }
}

export declare namespace createLoopWatch {
  type Options = {
    /** Milliseconds between checks of the clock. @default 50 */
    interval?: number
    /** Milliseconds. @default performance.now */
    now?: () => number
    /** Called after the event loop was blocked, with the milliseconds and the method, if known. */
    onBlocked: (block: { method: string | undefined; ms: number }) => void
    /** Called at every interval with the delay of its timer in milliseconds. */
    onDelay: (ms: number) => void
    /** Milliseconds above which the event loop counts as blocked. @default 200 */
    threshold?: number
  }
}
