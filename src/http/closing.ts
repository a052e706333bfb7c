import type { HttpBindings } from '@hono/node-server'

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
    mark({ incoming, outgoing }: HttpBindings): void {
      // Requests that wait on the connection would be lost if it closed.
      if (isClosing && !inTurn.hasMore(incoming.socket)) outgoing.setHeader('connection', 'close')
    },
  }
}
