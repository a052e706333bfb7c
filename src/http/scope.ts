import type { IncomingMessage } from 'node:http'
import { isIP, type Socket } from 'node:net'

import type { HttpBindings } from '@hono/node-server'

import type { Meter } from '../lib/call.ts'
import { createStop, type Stop } from '../lib/stopSignal.ts'
import type { Caller } from '../limits/caller.ts'
import { createDelivery, type Delivery } from '../rpc/jsonrpc/delivery.ts'
import { type ClientCall, ClientGoneError } from '../rpc/request.ts'

/**
 * The call of an HTTP request. Its response is delivered when all of it has left the socket. It is not delivered if the connection
 * ends before, even if a part was sent. The delivery is tracked only if a method needs it.
 */
export function httpCall(
  { incoming, outgoing }: HttpBindings,
  caller: Caller,
  onError: (error: unknown, message: string) => void,
): ClientCall {
  const { headers, socket } = incoming
  const { meter, signal } = connectionOf(socket)
  let delivery: Delivery | undefined
  return {
    caller,
    client: caller.id,
    headers,
    meter,
    signal,
    onDelivery: (listener) => (delivery ??= watch(socket, outgoing, onError)).onDelivery(listener),
  }
}

function watch(
  socket: Socket,
  outgoing: HttpBindings['outgoing'],
  onError: (error: unknown, message: string) => void,
): Delivery {
  const delivery = createDelivery(onError)
  if (outgoing.closed || socket.destroyed) delivery.end(false)
  // Node reports `finish` also for a response whose socket broke before it was written. Prepended, because node's own
  // listener detaches the response from its socket.
  outgoing.prependOnceListener('finish', () => delivery.end(!socket.destroyed && !socket.errored))
  outgoing.once('close', () => delivery.end(false))
  return delivery
}

/** What the calls of one HTTP connection share. Its requests run one after the other. */
type Connection = {
  readonly meter: Meter
  /** Aborted when the connection has ended. */
  readonly signal: Stop
}

const connections = new WeakMap<Socket, Connection>()

/** What the call of a request on a connection has besides its caller. */
export function connectionOf(socket: Socket): Connection {
  const known = connections.get(socket)
  if (known) return known
  const connection: Connection = { meter: { cost: 0, charged: 0 }, signal: createStop() }
  const end = () => connection.signal.stop(new ClientGoneError())
  if (socket.destroyed) end()
  else socket.once('close', end)
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
  const hops = String(incoming.headers['x-forwarded-for'] ?? '').split(',')
  const hop = hops
    .map((entry) => entry.trim())
    .filter(Boolean)
    .at(-trustProxy)
  const [, ...parts] = ENTRY.exec(hop ?? '') ?? []
  const address = parts.find(Boolean) ?? ''
  return isIP(address) === 0 ? peer : address
}

/** `[IPv6]:port`, `IPv4:port`, or an address. */
const ENTRY = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+|(\S+))$/
