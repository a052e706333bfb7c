type Listener = (delivered: boolean) => void

/** What becomes of one response: the half of a request scope that every transport shares. */
export type Delivery = {
  onDelivery(listener: Listener): void
  /** The response has left, or never will; only the first word counts. */
  end(delivered: boolean): void
}

/** `onError` gets what a listener throws. */
export function createDelivery(onError: (error: unknown, message: string) => void): Delivery {
  let outcome: boolean | undefined
  let listeners: Listener[] = []

  function notify(listener: Listener, delivered: boolean) {
    try {
      listener(delivered)
    } catch (error) {
      onError(error, 'a listener of a delivery failed')
    }
  }

  return {
    onDelivery(listener) {
      if (outcome === undefined) listeners.push(listener)
      else notify(listener, outcome)
    },
    end(delivered) {
      if (outcome !== undefined) return
      outcome = delivered
      const told = listeners
      listeners = []
      for (const listener of told) notify(listener, delivered)
    },
  }
}
