/** The response to a request, of which becomes known whether it reaches the client. The scope of a request fits. */
export type PendingResponse = {
  /**
   * Runs once: when the response has left the socket (`true`), or when it never will (`false`). Registered late, it runs at
   * once.
   */
  onDelivery(listener: (delivered: boolean) => void): void
}
