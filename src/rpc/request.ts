import type { FilterOwner } from '../chain/filters/store.ts'
import type { RpcSocket } from '../chain/subscriptions/socket.ts'
import type { Call, Meter } from '../lib/call.ts'
import type { Caller } from '../limits/caller.ts'

export type { RpcSocket } from '../chain/subscriptions/socket.ts'

/** The client, connection and delivery of a method call. */
export type RequestScope = {
  /** The id of the caller, for counts and logs. */
  readonly client: string
  /** Who calls. Absent in this process, which has no limits. */
  readonly caller?: Caller | undefined
  /** What the native calls of the connection cost. */
  readonly meter?: Meter | undefined
  /** What the request is worked on for. Aborted when the connection has ended; a WebSocket lasts longer than a request, so remove listeners. */
  readonly signal: Call
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

/** How the scopes of a transport read their values. Each value is read when it is needed. */
export type ScopeSource<data> = {
  client(data: data): string
  caller(data: data): Caller | undefined
  meter(data: data): Meter | undefined
  headers(data: data): RequestHeaders | undefined
  signal(data: data): Call
  socket(data: data): RpcSocket | undefined
  onDelivery(data: data, listener: (delivered: boolean) => void): void
}

/**
 * Creates the scopes of a transport, each from its own data. A scope is one small object, and all share their functions:
 * closures and getters for each request were most of the garbage at thousands of requests a second.
 */
export function scopesOf<data>(source: ScopeSource<data>): (data: data) => RequestScope {
  const shared: RequestScope & ThisType<{ data: data }> = {
    get client() {
      return source.client(this.data)
    },
    get caller() {
      return source.caller(this.data)
    },
    get meter() {
      return source.meter(this.data)
    },
    get headers() {
      return source.headers(this.data)
    },
    get signal() {
      return source.signal(this.data)
    },
    get socket() {
      return source.socket(this.data)
    },
    onDelivery(listener) {
      source.onDelivery(this.data, listener)
    },
  }
  return (data) => {
    const scope = Object.create(shared) as { data: data }
    scope.data = data
    return scope as typeof scope & RequestScope
  }
}

/** Who owns a filter that a request creates. */
export function ownerOf({ caller, client }: RequestScope): FilterOwner {
  return { client, most: caller?.limits.filters }
}

/** The same request with another signal, which is read when it is needed. */
export function withSignal(request: RequestScope, signal: () => Call): RequestScope {
  return scopeWithSignal({ request, signal })
}

/** The source of a scope that is inside of another one. */
export const ofRequest: ScopeSource<{ readonly request: RequestScope }> = {
  client: ({ request }) => request.client,
  caller: ({ request }) => request.caller,
  meter: ({ request }) => request.meter,
  headers: ({ request }) => request.headers,
  signal: ({ request }) => request.signal,
  socket: ({ request }) => request.socket,
  onDelivery: ({ request }, listener) => request.onDelivery(listener),
}

const scopeWithSignal = scopesOf<{ request: RequestScope; signal: () => Call }>({
  ...ofRequest,
  signal: ({ signal }) => signal(),
})

/** The reason of an aborted request: the client has disconnected. This is not a fault. */
export class ClientGoneError extends Error {
  override name = 'ClientGoneError'

  constructor() {
    super('the client has disconnected')
  }
}
