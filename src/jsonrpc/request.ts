import type { RpcSocket } from '../subscriptions/socket.ts'

export type { RpcSocket } from '../subscriptions/socket.ts'

/** The request of a method call. */
export type RequestScope = {
  /** Address of the client, for limits per client. */
  readonly client: string
  /** Aborted when the connection has ended. Connections live longer than requests, so remove listeners. */
  readonly signal: AbortSignal
  /**
   * Runs once, after the method has ended: when the response has left the socket (`true`), or when it never will
   * (`false`), because the client has gone or the result was left out (an error in its place, a notification, too large).
   * A filter page counts as delivered only then. Registered late, it runs at once.
   */
  onDelivery(listener: (delivered: boolean) => void): void
  /** Headers of the request, or of the handshake of its WebSocket, in lower case. Absent in this process. */
  readonly headers?: RequestHeaders | undefined
  /** The WebSocket that the request came over; absent over HTTP. */
  readonly socket?: RpcSocket | undefined
}

/** Headers as node parses them. */
export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>

/** The source from which a scope reads its values lazily. */
export type ScopeSource = {
  client(): string
  headers(): RequestHeaders | undefined
  signal(): AbortSignal
  onDelivery(listener: (delivered: boolean) => void): void
  socket?: RpcSocket | undefined
}

/**
 * A scope that reads its source lazily. The getters are on one shared object, because each literal with getters gets a hidden
 * class of its own that outlives it. At thousands of requests a second, that would be most of the garbage.
 */
export function createScope(source: ScopeSource): RequestScope {
  const scope = Object.create(getters) as { source: ScopeSource }
  scope.source = source
  return scope as typeof scope & RequestScope
}

/** The same request with another signal. */
export function withSignal(request: RequestScope, signal: AbortSignal): RequestScope {
  return createScope({
    client: () => request.client,
    headers: () => request.headers,
    signal: () => signal,
    onDelivery: (listener) => request.onDelivery(listener),
    socket: request.socket,
  })
}

const getters: RequestScope & ThisType<{ source: ScopeSource }> = {
  get client() {
    return this.source.client()
  },
  get headers() {
    return this.source.headers()
  },
  get signal() {
    return this.source.signal()
  },
  get socket() {
    return this.source.socket
  },
  onDelivery(listener) {
    this.source.onDelivery(listener)
  },
}

/** The reason for cancelled calls of a request: the client has disconnected. This is not a fault. */
export class ClientGoneError extends Error {
  override name = 'ClientGoneError'

  constructor() {
    super('the client has gone')
  }
}
