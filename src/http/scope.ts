import type { IncomingMessage, ServerResponse } from 'node:http'

import { createScope, type RequestScope } from '../jsonrpc/request.ts'
import { createSettlement, type Settlement } from '../jsonrpc/settlement.ts'

/**
 * The scope of an HTTP request. Delivered means that the whole response was taken by the network; a connection that ends
 * before counts as not delivered, even when part of the response was sent. Nothing is watched until a method asks.
 */
export function createHttpScope(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { onError, trustProxy }: createHttpScope.Options,
): RequestScope {
  let settlement: Settlement | undefined
  const settled = () => (settlement ??= watch(incoming, outgoing, onError))
  return createScope({
    client: () => clientAddress(incoming, trustProxy),
    signal: () => settled().signal(),
    onSettled: (listener) => settled().onSettled(listener),
  })
}

export declare namespace createHttpScope {
  type Options = {
    onError: (error: unknown, message: string) => void
    /** Proxies in front whose X-Forwarded-For is believed. */
    trustProxy: number
  }
}

function watch(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  onError: createHttpScope.Options['onError'],
): Settlement {
  const { socket } = incoming
  const settlement = createSettlement(onError)
  if (outgoing.closed || socket.destroyed) settlement.settle(false)
  // Node reports `finish` also for a response whose socket broke before it was written. Prepended, because node's own
  // listener parts the response from its socket.
  outgoing.prependOnceListener('finish', () =>
    settlement.settle(!socket.destroyed && !socket.errored),
  )
  outgoing.once('close', () => settlement.settle(false))
  return settlement
}

/**
 * Address of the client: of the peer, or, behind `trustProxy` proxies, what the outermost of them saw. Each proxy appends
 * the address of its own peer, so the entry that counts is the `trustProxy`-th from the right.
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
  return hops.filter(Boolean).at(-trustProxy) ?? peer
}
