type Listener = (delivered: boolean) => void

/** The delivery of one response: the part of a request scope that all transports share. */
export type Delivery = ReturnType<typeof createDelivery>

/** Creates the delivery of one response. @param onError - called with errors that listeners throw */
export function createDelivery(onError: (error: unknown, message: string) => void) {
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
    onDelivery(this: void, listener: Listener): void {
      if (outcome === undefined) listeners.push(listener)
      else notify(listener, outcome)
    },
    /** Reports that the response was sent, or will not be sent. Only the first report counts. */
    end(delivered: boolean): void {
      if (outcome !== undefined) return
      outcome = delivered
      const waiting = listeners
      listeners = []
      for (const listener of waiting) notify(listener, delivered)
    },
  }
}
