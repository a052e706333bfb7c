/** The response to a request, which reports whether it reached the client. A request scope is one. */
export type PendingResponse = {
  /**
   * Runs once: with `true` when the response has left the socket, with `false` when it never will. Registered late, it
   * runs at once.
   */
  onDelivery(listener: (delivered: boolean) => void): void
}
