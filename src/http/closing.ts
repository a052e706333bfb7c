import type { IncomingMessage, ServerResponse } from 'node:http'

import type { Middleware } from './env.ts'
import type { InTurn } from './inTurn.ts'

/** Asks clients to close their connections. */
export type Closing = ReturnType<typeof createClosing>

/** Creates the mark of a server that is about to end. Until it begins, nothing is marked. */
export function createClosing(inTurn: Pick<InTurn, 'hasMore'>) {
  let isClosing = false
  return {
    /** From now on each answer has `Connection: close`. */
    begin(): void {
      isClosing = true
    },
    /** Gives an answer that is not written yet the header, if it is to have it. */
    mark({ socket }: IncomingMessage, outgoing: ServerResponse): void {
      // Requests that wait on the connection would be lost if it closed.
      if (isClosing && !inTurn.hasMore(socket)) outgoing.setHeader('connection', 'close')
    },
  }
}

/** Marks the answer to each request that begins, except to JSON-RPC: those are marked when they are written. */
export function markClosing(closing: Closing): Middleware {
  return function markClosing({ env: { incoming, outgoing } }, next) {
    closing.mark(incoming, outgoing)
    return next()
  }
}
