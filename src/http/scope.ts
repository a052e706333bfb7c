import { setMaxListeners } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isIP, type Socket } from 'node:net'

import type { HttpBindings } from '@hono/node-server'

import { type Meter, openMeter } from '../lib/meter.ts'
import type { Caller } from '../limits/caller.ts'
import { createDelivery, type Delivery } from '../rpc/jsonrpc/delivery.ts'
import { ClientGoneError, type RequestScope, scopesOf } from '../rpc/request.ts'

/** Creates the scope of an HTTP request. */
export type HttpScopes = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  caller: Caller,
) => RequestScope

/**
 * Creates the scopes of HTTP requests. A response is delivered when all of it has left the socket. It is not delivered if the
 * connection ends before, even if a part was sent. The delivery is tracked only if a method needs it.
 */
export function createHttpScopes({ onError }: createHttpScopes.Options): HttpScopes {
  const scopeOf = scopesOf<Exchange>({
    client: ({ caller }) => caller.id,
    caller: ({ caller }) => caller,
    meter: ({ connection }) => connection.meter,
    headers: ({ incoming }) => incoming.headers,
    signal: ({ connection }) => connection.signal,
    socket: () => undefined,
    onDelivery(exchange, listener) {
      exchange.delivery ??= watch(exchange, onError)
      exchange.delivery.onDelivery(listener)
    },
  })
  return (incoming, outgoing, caller) => {
    meterFor(incoming.socket, caller)
    const connection = connectionOf(incoming.socket)
    return scopeOf({ incoming, outgoing, caller, connection, delivery: undefined })
  }
}

export declare namespace createHttpScopes {
  type Options = {
    onError: (error: unknown, message: string) => void
  }
}

type Exchange = {
  readonly connection: Connection
  readonly caller: Caller
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  delivery: Delivery | undefined
}

function watch(
  { incoming, outgoing }: Exchange,
  onError: createHttpScopes.Options['onError'],
): Delivery {
  const { socket } = incoming
  const delivery = createDelivery(onError)
  if (outgoing.closed || socket.destroyed) delivery.end(false)
  // Node reports `finish` also for a response whose socket broke before it was written. Prepended, because node's own
  // listener detaches the response from its socket.
  outgoing.prependOnceListener('finish', () => delivery.end(!socket.destroyed && !socket.errored))
  outgoing.once('close', () => delivery.end(false))
  return delivery
}

/** What the requests of one HTTP connection share. */
type Connection = { readonly signal: AbortSignal; readonly meter: Meter }

/** The signal of the connection behind a request of the Hono app; undefined for a request without a socket, as in tests. */
export function signalOf(c: { env: unknown }): AbortSignal | undefined {
  const { incoming } = (c.env ?? {}) as Partial<HttpBindings>
  return incoming && connectionOf(incoming.socket).signal
}

/** The meter of a connection, for the next request on it. */
export function meterFor(socket: Socket, caller: Caller): Meter {
  const { meter } = connectionOf(socket)
  meter.owner = caller.id
  meter.weight = caller.limits.weight ?? 1
  return meter
}

const connections = new WeakMap<Socket, Connection>()

/** One signal for a connection, not for each request, because creating a signal takes longer than a cached answer. */
function connectionOf(socket: Socket): Connection {
  const known = connections.get(socket)
  if (known) return known
  const controller = new AbortController()
  const { signal } = controller
  // Each upstream call of each request adds a listener.
  setMaxListeners(0, signal)
  if (socket.destroyed) controller.abort(new ClientGoneError())
  else socket.once('close', () => controller.abort(new ClientGoneError()))
  const connection = { signal, meter: openMeter(signal) }
  connections.set(socket, connection)
  return connection
}

/**
 * Address of the client: the peer, or behind proxies the peer of the outermost trusted proxy. Each proxy appends the address
 * of its own peer, so this is the entry at position `trustProxy` from the right. Some proxies append the port too, which
 * differs for each connection. An entry that is no address is not used.
 */
export function clientAddress(incoming: IncomingMessage, trustProxy: number): string {
  const peer = incoming.socket.remoteAddress ?? 'unknown'
  if (trustProxy === 0) return peer
  const forwarded = incoming.headers['x-forwarded-for']
  const hops = [forwarded ?? []]
    .flat()
    .join(',')
    .split(',')
    .map((hop) => hop.trim())
  const [, ...parts] = ENTRY.exec(hops.filter(Boolean).at(-trustProxy) ?? '') ?? []
  const address = parts.find(Boolean) ?? ''
  return isIP(address) === 0 ? peer : address
}

/** `[IPv6]:port`, `IPv4:port`, or an address. */
const ENTRY = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+|(\S+))$/
