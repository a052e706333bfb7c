/** The used part of an abort signal. A full one costs more than many of the calls that it is made for. */
export type StopSignal = {
  readonly aborted: boolean
  readonly reason: unknown
  throwIfAborted(): void
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** A signal with few listeners, and the function that aborts it. */
export function createStop(): { signal: StopSignal; readonly stop: (reason: unknown) => void } {
  const listeners = new Set<() => void>()
  let stopped: { reason: unknown } | undefined
  return {
    signal: {
      get aborted() {
        return stopped !== undefined
      },
      get reason() {
        return stopped?.reason
      },
      throwIfAborted() {
        if (stopped) throw stopped.reason
      },
      addEventListener: (_, listener) => void listeners.add(listener),
      removeEventListener: (_, listener) => void listeners.delete(listener),
    },
    stop(reason) {
      stopped ??= { reason }
      for (const listener of listeners) listener()
      listeners.clear()
    },
  }
}
