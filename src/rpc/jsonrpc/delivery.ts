/** The delivery of one response: the part of a request scope that all transports share. */
export type Delivery = ReturnType<typeof createDelivery>

/** Creates the delivery of one response. @param onError - called with errors that listeners throw */
export function createDelivery(onError: (error: unknown, message: string) => void) {
  let end!: (delivered: boolean) => void
  const outcome = new Promise<boolean>((resolve) => {
    end = resolve
  })
  return {
    onDelivery(this: void, listener: (delivered: boolean) => void): void {
      const fail = (error: unknown) => onError(error, 'a listener of a delivery failed')
      outcome.then(listener).catch(fail)
    },
    /** Reports that the response was sent, or will not be sent. Only the first report counts. */
    end,
  }
}
