import { setMaxListeners } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'

import { ClientGoneError, type RequestScope } from '../jsonrpc/request.ts'

type Listener = (delivered: boolean) => void

/**
 * The scope of an HTTP request. Delivered means that the whole response was taken by the network; a connection that ends
 * before counts as not delivered, even when part of the response was sent.
 */
export function createHttpScope(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { onError, trustProxy }: createHttpScope.Options,
): RequestScope {
  const { socket } = incoming
  let outcome: boolean | undefined
  let watching = false
  let listeners: Listener[] = []
  let controller: AbortController | undefined

  function settle(delivered: boolean) {
    if (outcome !== undefined) return
    outcome = delivered
    if (!delivered) controller?.abort(new ClientGoneError())
    const settled = listeners
    listeners = []
    for (const listener of settled) notify(listener, delivered)
  }

  function notify(listener: Listener, delivered: boolean) {
    try {
      listener(delivered)
    } catch (error) {
      onError(error, 'a listener of a settled request failed')
    }
  }

  function watch() {
    if (watching) return
    watching = true
    if (outgoing.closed || socket.destroyed) return settle(false)
    // Node reports `finish` also for a response whose socket broke before it was written. Prepended, because node's own
    // listener parts the response from its socket.
    outgoing.prependOnceListener('finish', () => settle(!socket.destroyed && !socket.errored))
    outgoing.once('close', () => settle(false))
  }

  return {
    get client() {
      return clientAddress(incoming, trustProxy)
    },
    get signal() {
      watch()
      if (!controller) {
        controller = new AbortController()
        // Every call for the request listens to it, and a batch makes many.
        setMaxListeners(0, controller.signal)
      }
      if (outcome === false) controller.abort(new ClientGoneError())
      return controller.signal
    },
    onSettled(listener) {
      watch()
      if (outcome === undefined) listeners.push(listener)
      else notify(listener, outcome)
    },
  }
}

export declare namespace createHttpScope {
  type Options = {
    onError: (error: unknown, message: string) => void
    /** Proxies in front whose X-Forwarded-For is believed. */
    trustProxy: number
  }
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
