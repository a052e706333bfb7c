/** The response to a request, which reports whether it was delivered. A request scope implements it. */
export type PendingResponse = {
  /**
   * Calls the listener once: with `true` when the response has left the socket, with `false` when it cannot. If that is
   * already known, it calls the listener at once.
   */
  onDelivery(listener: (delivered: boolean) => void): void
}
