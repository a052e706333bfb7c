type Listener = (delivered: boolean) => void

/** What becomes of one response: the half of a request scope that every transport shares. */
export type Settlement = {
  onSettled(listener: Listener): void
  /** The response has left, or never will; only the first word counts. */
  settle(delivered: boolean): void
}

/** `onError` gets what a listener throws. */
export function createSettlement(onError: (error: unknown, message: string) => void): Settlement {
  let outcome: boolean | undefined
  let listeners: Listener[] = []

  function notify(listener: Listener, delivered: boolean) {
    try {
      listener(delivered)
    } catch (error) {
      onError(error, 'a listener of a settled request failed')
    }
  }

  return {
    onSettled(listener) {
      if (outcome === undefined) listeners.push(listener)
      else notify(listener, outcome)
    },
    settle(delivered) {
      if (outcome !== undefined) return
      outcome = delivered
      const settled = listeners
      listeners = []
      for (const listener of settled) notify(listener, delivered)
    },
  }
}
