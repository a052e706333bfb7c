/** Measures how late the event loop is, and finds out which call blocked it. */
export type LoopWatch = {
  /** A call begins. */
  enter(name: string): void
  /** A call has its answer. */
  leave(name: string): void
  stop(): void
}

/**
 * Long gaps between what it sees are blocks, because a timer of its own should have run meanwhile. A gap that ends with
 * the end of a call was made by that call; else the call that began before it was the last to run. Work in the middle of
 * a call, between two waits, has no name.
 */
export function createLoopWatch({
  interval = 50,
  now = () => performance.now(),
  onBlocked,
  onDelay,
  threshold = 200,
}: createLoopWatch.Options): LoopWatch {
  let last = now()
  let lastBeat = last
  let entered: string | undefined

  function mark(left: string | undefined) {
    const time = now()
    const gap = time - last
    last = time
    // The timer may have been due at any moment of the gap.
    if (gap - interval > threshold) onBlocked({ method: left ?? entered, ms: gap })
    entered = undefined
  }

  const timer = setInterval(() => {
    mark(undefined)
    onDelay(Math.max(0, last - lastBeat - interval))
    lastBeat = last
  }, interval)
  timer.unref()

  return {
    enter(name) {
      mark(undefined)
      entered = name
    },
    leave: mark,
    stop: () => clearInterval(timer),
  }
}

export declare namespace createLoopWatch {
  type Options = {
    /** Milliseconds between checks of the clock. @default 50 */
    interval?: number
    /** Milliseconds. @default performance.now */
    now?: () => number
    /** Called after a block, with how long it was in milliseconds and the method, where it is known. */
    onBlocked: (block: { method: string | undefined; ms: number }) => void
    /** Called at every interval with how late it came, milliseconds. */
    onDelay: (ms: number) => void
    /** Milliseconds above which the event loop counts as blocked. @default 200 */
    threshold?: number
  }
}
