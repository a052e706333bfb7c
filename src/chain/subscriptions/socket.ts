import type { Call } from '../../lib/call.ts'

/** One client connection that notifications can be pushed to. */
export type RpcSocket = {
  readonly id: string
  readonly client: string
  /** Aborted when the connection has ended. Reads for its subscriptions belong to it. Absent in this process. */
  readonly call?: Call | undefined
  /** Largest number of subscriptions of this client; absent for the gateway's default. */
  readonly maxSubscriptions?: number | undefined
  /**
   * Queues a text frame; bytes are taken as UTF-8. A reader that exceeds the buffer limit is disconnected; then this
   * does nothing.
   */
  send(text: string | Buffer): void
  /**
   * Charges the client for what its subscriptions have read from nodes.
   *
   * @returns whether they may read more: not while the client is over its limits
   */
  settle(): boolean
  /** Bytes queued and not yet sent. */
  buffered(): number
  close(code: number, reason: string): void
  /** Runs once, when the connection has ended. While a listener is there, the connection is in use and never idle. */
  onClose(listener: () => void): () => void
}
