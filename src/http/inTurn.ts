import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

import type { Middleware } from './env.ts'

/** Runs the requests of a connection one after the other. */
export type InTurn = ReturnType<typeof createInTurn>

/** Lets a request wait for the answers to the earlier requests of its connection. */
export function takeTurns(inTurn: InTurn): Middleware {
  return function takeTurns({ env: { incoming, outgoing } }, next) {
    const { socket } = incoming
    if (inTurn.begins(socket, outgoing)) return next()
    return new Promise((resolve) => inTurn.wait(socket, () => resolve(next()), outgoing))
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
    hasMore: (socket: Duplex) => (connections.get(socket)?.waiting.length ?? 0) > 0,
    /** Whether a request may start now. Otherwise it must wait. */
    begins(socket: Duplex, outgoing?: ServerResponse): boolean {
      const connection = connections.get(socket)
      if (!connection) connections.set(socket, { current: outgoing, waiting: [] })
      else if (isBusy(connection)) return false
      else connection.current = outgoing
      return true
    },
    /**
     * Calls `start` when the earlier answers are sent, or never if the connection ends before.
     *
     * @param outgoing - absent for a handler that takes over the connection
     */
    wait(socket: Duplex, start: () => void, outgoing?: ServerResponse): void {
      const connection = connections.get(socket)
      if (connection) addWaiting(connection, socket, { outgoing, start })
    },
  }
}

type Waiting = { outgoing: ServerResponse | undefined; start: () => void }

type Connection = {
  /** The answer that was started last. */
  current: ServerResponse | undefined
  waiting: Waiting[]
}

function isBusy({ current, waiting }: Connection): boolean {
  return (
    waiting.length > 0 || (current !== undefined && !current.closed && !current.writableFinished)
  )
}

function addWaiting(connection: Connection, socket: Duplex, next: Waiting) {
  connection.waiting.push(next)
  if (connection.waiting.length > 1) return
  // Node resumes a socket with the end of each request that it has read.
  socket.on('resume', pause)
  socket.pause()
  startNextAfter(connection, socket)
}

function pause(this: Duplex) {
  this.pause()
}

/** Starts the next request when the current answer is sent. */
function startNextAfter(connection: Connection, socket: Duplex) {
  connection.current?.once('close', () => {
    const next = connection.waiting.shift()
    if (!next || socket.destroyed) {
      connection.waiting = []
      return
    }
    connection.current = next.outgoing
    if (connection.waiting.length > 0) startNextAfter(connection, socket)
    else {
      socket.off('resume', pause)
      socket.resume()
    }
    next.start()
  })
}
