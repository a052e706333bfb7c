import type { FilterOwner } from '../chain/filters/store.ts'
import type { RpcSocket } from '../chain/subscriptions/socket.ts'
import type { Call } from '../lib/call.ts'
import type { StopSignal } from '../lib/stopSignal.ts'
import type { Caller } from '../limits/caller.ts'

export type { RpcSocket } from '../chain/subscriptions/socket.ts'

/** The call of a client: what methods pass on to whatever may ask a node, and the connection and delivery of its answer. */
export type ClientCall = Call & {
  /** The id of the caller, for counts and logs. */
  readonly client: string
  /** Who calls. Absent in this process, which has no limits. */
  readonly caller?: Caller | undefined
  /** Aborted when the connection has ended. A connection lasts longer than a request, so remove listeners. */
  readonly signal: StopSignal
  /**
   * Calls the listener once after the method has ended: with `true` when the response has left the socket, with `false` when
   * it never will, because the client has disconnected or the response does not contain the result (an error replaces it, the
   * call is a notification, or it is too large). If the outcome is already known, calls it at once.
   */
  onDelivery(listener: (delivered: boolean) => void): void
  /** Headers of the request, or of the handshake of its WebSocket, in lower case. Absent in this process. */
  readonly headers?: RequestHeaders | undefined
  /** The WebSocket that the request came over; absent over HTTP. */
  readonly socket?: RpcSocket | undefined
}

/** Headers as node parses them. */
export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>

/** Who owns a filter that a call creates. */
export function ownerOf({ caller, client }: ClientCall): FilterOwner {
  return { client, most: caller?.limits.filters }
}

/** The reason of an aborted request: the client has disconnected. This is not a fault. */
export class ClientGoneError extends Error {
  override name = 'ClientGoneError'

  constructor() {
    super('the client has disconnected')
  }
}
