import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

import type { Middleware } from './env.ts'

/** Runs the requests of a connection one after the other. */
export type InTurn = ReturnType<typeof createInTurn>

/** Lets a request wait for the answers to the earlier ones of its connection. It comes first: a client may pipeline hundreds. */
export function takeTurns(inTurn: InTurn): Middleware {
  return async function takeTurns({ env: { incoming, outgoing } }, next) {
    await inTurn.wait(incoming.socket, outgoing)
    return next()
  }
}

/**
 * Node emits all requests of one read from the socket at once. Without a limit, the server would process hundreds of pipelined
 * requests and buffer their answers, even if the client does not read. While requests wait, their connection is not read.
 */
export function createInTurn() {
  const connections = new WeakMap<Duplex, Connection>()
  return {
    /** Whether requests of the connection wait. */
    hasMore: (socket: Duplex) => (connections.get(socket)?.waiting ?? 0) > 0,
    /**
     * Resolves when the earlier answers are sent, or never if the connection ends before.
     *
     * @param outgoing - absent for a handler that takes over the connection
     * @returns undefined if the request may start at once
     */
    wait(socket: Duplex, outgoing?: ServerResponse): Promise<void> | undefined {
      const connection = connections.get(socket)
      if (!connection) {
        connections.set(socket, { last: outgoing, waiting: 0 })
        return undefined
      }
      const before = connection.last
      connection.last = outgoing
      const isFree = !before || before.closed || before.writableFinished
      return isFree ? undefined : waitFor(before, connection, socket)
    },
  }
}

type Connection = {
  /** The answer to the newest request. */
  last: ServerResponse | undefined
  /** Requests that wait. */
  waiting: number
}

async function waitFor(
  before: ServerResponse,
  connection: Connection,
  socket: Duplex,
): Promise<void> {
  if (connection.waiting++ === 0) {
    // Node resumes a socket with the end of each request that it has read.
    socket.on('resume', pause)
    socket.pause()
  }
  await new Promise<void>((resolve) => {
    before.once('close', () => {
      if (!socket.destroyed) resolve()
    })
  })
  if (--connection.waiting > 0) return
  socket.off('resume', pause)
  // Bytes flow from the next tick on. The request that has waited starts in this one, so it misses none.
  socket.resume()
}

function pause(this: Duplex) {
  this.pause()
}
