import type { IncomingMessage, ServerResponse } from 'node:http'
import { isIP, type Socket } from 'node:net'

import type { HttpBindings } from '@hono/node-server'

import { type Call, createAskedNodes, type Meter } from '../lib/call.ts'
import { createStop, type Stop } from '../lib/stopSignal.ts'
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
    signal: (exchange) => (exchange.call ??= openCall(exchange.connection, exchange.caller)),
    socket: () => undefined,
    onDelivery(exchange, listener) {
      exchange.delivery ??= watch(exchange, onError)
      exchange.delivery.onDelivery(listener)
    },
  })
  return (incoming, outgoing, caller) => {
    const connection = connectionOf(incoming.socket)
    return scopeOf({
      incoming,
      outgoing,
      caller,
      connection,
      call: undefined,
      delivery: undefined,
    })
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
  /** Made when a method needs it. */
  call: Call | undefined
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

/** What the requests of one HTTP connection share. They run one after the other. */
type Connection = {
  readonly meter: Meter
  /** The call that runs. */
  current: Stop | undefined
  isGone: boolean
}

/** Opens the call of a request: it is aborted when the connection ends. */
function openCall(connection: Connection, { id, limits: { weight = 1 } }: Caller): Call {
  const { meter } = connection
  const call = createStop({ caller: { id, weight }, meter, asked: createAskedNodes() })
  if (connection.isGone) call.stop(new ClientGoneError())
  connection.current = call
  return call
}

/** Opens the call of a page or an operation. */
export function openPageCall(socket: Socket, caller: Caller): Call {
  return openCall(connectionOf(socket), caller)
}

/** The call of a page or an operation; undefined without a socket, as in tests. */
export function callOf(c: { env: unknown }): Call | undefined {
  const { incoming } = (c.env ?? {}) as Partial<HttpBindings>
  return incoming && connectionOf(incoming.socket).current
}

const connections = new WeakMap<Socket, Connection>()

function connectionOf(socket: Socket): Connection {
  const known = connections.get(socket)
  if (known) return known
  const connection: Connection = {
    meter: { cost: 0, charged: 0 },
    current: undefined,
    isGone: socket.destroyed,
  }
  socket.once('close', () => {
    connection.isGone = true
    connection.current?.stop(new ClientGoneError())
  })
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
