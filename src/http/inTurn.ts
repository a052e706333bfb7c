import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

import type { Middleware } from './env.ts'

/** Runs the requests of a connection one after the other. */
export type InTurn = {
  /**
   * Whether a request may start now. Otherwise it calls `start` when the earlier answers are sent, or never if the connection ends
   * before.
   */
  request(incoming: IncomingMessage, outgoing: ServerResponse, start: () => void): boolean
  /** Whether requests of the connection wait. */
  hasMore(socket: Duplex): boolean
  /** Like `request`, for a handler that takes over the connection. */
  takeOver(socket: Duplex, start: () => void): void
}

/** Lets a request wait for the answers to the earlier requests of its connection. */
export function takeTurns(inTurn: InTurn): Middleware {
  return function takeTurns({ env: { incoming, outgoing } }, next) {
    let resume = () => {}
    if (inTurn.request(incoming, outgoing, () => resume())) return next()
    return new Promise((resolve) => {
      resume = () => resolve(next())
    })
  }
}

/**
 * Node emits all requests of one read from the socket at once. Without a limit, the server would process hundreds of pipelined
 * requests and buffer their answers, even if the client does not read. While requests wait, their connection is not read.
 */
export function createInTurn(): InTurn {
  const connections = new WeakMap<Duplex, Connection>()

  function wait(connection: Connection, socket: Duplex, next: Waiting) {
    connection.waiting.push(next)
    if (connection.waiting.length > 1) return
    // Node resumes a socket with the end of each request that it has read.
    socket.on('resume', pause)
    socket.pause()
    startNextAfter(connection, socket)
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

  return {
    hasMore: (socket) => (connections.get(socket)?.waiting.length ?? 0) > 0,
    request({ socket }, outgoing, start) {
      const connection = connections.get(socket)
      if (!connection) connections.set(socket, { current: outgoing, waiting: [] })
      else if (isBusy(connection)) {
        wait(connection, socket, { outgoing, start })
        return false
      } else connection.current = outgoing
      return true
    },
    takeOver(socket, start) {
      const connection = connections.get(socket)
      if (connection && isBusy(connection)) wait(connection, socket, { outgoing: undefined, start })
      else start()
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

function pause(this: Duplex) {
  this.pause()
}
