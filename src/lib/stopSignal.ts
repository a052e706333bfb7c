/** The used part of an abort signal. Creating a full one costs more than many of the calls that need it. */
export type StopSignal = {
  readonly aborted: boolean
  readonly reason: unknown
  throwIfAborted(): void
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** A signal with few listeners, and the function that aborts it. */
export function createStop(): { signal: StopSignal; readonly stop: (reason: unknown) => void } {
  let listeners: (() => void)[] = []
  const signal = {
    aborted: false,
    reason: undefined as unknown,
    throwIfAborted() {
      if (signal.aborted) throw signal.reason
    },
    addEventListener(_: 'abort', listener: () => void) {
      if (!listeners.includes(listener)) listeners.push(listener)
    },
    removeEventListener(_: 'abort', listener: () => void) {
      const at = listeners.indexOf(listener)
      if (at !== -1) listeners.splice(at, 1)
    },
  }
  return {
    signal,
    stop(reason) {
      if (signal.aborted) return
      signal.aborted = true
      signal.reason = reason
      const told = listeners
      listeners = []
      for (const listener of told) listener()
    },
  }
}
