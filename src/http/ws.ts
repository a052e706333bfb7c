import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

import { type HttpBindings, upgradeWebSocket, type WebSocketServerLike } from '@hono/node-server'
import type { Next } from 'hono'
import { type WebSocket, WebSocketServer } from 'ws'

import type { Config } from '../config/config.ts'
import type { HeldBytes } from '../lib/heldBytes.ts'
import { sleep } from '../lib/sleep.ts'
import { createTimeSlice } from '../lib/timeSlice.ts'
import type { Caller } from '../limits/caller.ts'
import type { CallLimits } from '../limits/limits.ts'
import type { RpcServer } from '../rpc/jsonrpc/server.ts'
import type { RequestContext } from './env.ts'
import type { Unsent } from './unsent.ts'
import { createWsConnection, type WsConnection } from './wsConnection.ts'
import { type UnfinishedMessages, watchUnfinished } from './wsMessages.ts'

/** Milliseconds between two pings of a connection. */
const PING_INTERVAL = 30_000

/** The WebSocket clients of a gateway. */
export type WsServer = ReturnType<typeof createWsServer>

/** All WebSocket clients of a gateway, within limits. It counts a client before it awaits anything, so none can exceed them. */
export function createWsServer({
  callerOf,
  config,
  held,
  now = () => performance.now(),
  onConnections = () => {},
  routes,
  ...options
}: createWsServer.Options) {
  const server = new WebSocketServer({
    ...FRAGMENTS,
    noServer: true,
    maxPayload: config.bodyLimit,
    perMessageDeflate: false,
  })
  const connections = new Map<WsConnection, UnfinishedMessages>()
  const perClient = new Map<string, number>()
  // Not the time slice of long work, because short requests must not wait for long work.
  const timeSlice = createTimeSlice()
  let total = 0
  let draining = false
  const ticker = setInterval(() => {
    const time = now()
    for (const [connection, unfinished] of connections) {
      connection.tick(time)
      unfinished.tick(time)
    }
  }, PING_INTERVAL)
  ticker.unref()

  /** Counts a connection. Returns whether its caller may have it. */
  function enter({ id, limits }: Caller): boolean {
    const count = (perClient.get(id) ?? 0) + 1
    perClient.set(id, count)
    onConnections(++total)
    return count <= (limits.sockets ?? config.wsConnectionsPerClient)
  }

  function leave(client: string) {
    const count = perClient.get(client) ?? 0
    if (count > 1) perClient.set(client, count - 1)
    else perClient.delete(client)
    onConnections(--total)
  }

  function unfinishedOf(ws: WebSocket, socket: Socket, connection: WsConnection) {
    return watchUnfinished(ws, socket, {
      cut(reason) {
        options.onCut(reason)
        connection.close(POLICY_VIOLATION, reason)
      },
      hold: held.hold(connection.socket.client, 'frames'),
    })
  }

  function events(
    rpc: RpcServer,
    caller: () => Caller,
    { headers, socket }: IncomingMessage,
    isAllowed: boolean,
  ) {
    let connection: WsConnection | undefined
    return {
      onOpen(_event: Event, context: { raw?: unknown }) {
        const ws = context.raw as WebSocket
        if (!isAllowed) return refuseSocket(ws)
        connection = createWsConnection(ws, rpc, {
          ...options,
          bufferLimit: config.wsBuffer,
          caller,
          headers,
          idleTimeout: config.wsIdle,
          now,
          timeSlice,
        })
        connections.set(connection, unfinishedOf(ws, socket, connection))
        if (draining) connection.close(GOING_AWAY, 'server is shutting down')
      },
      onMessage({ data }: { data: unknown }) {
        connection?.receive(typeof data === 'string' ? data : Buffer.from(data as ArrayBuffer))
      },
      onClose() {
        if (!connection) return
        connections.delete(connection)
        connection.closed()
      },
    }
  }

  return {
    /** The server that accepts connections for node-server. The two libraries declare different types for the same events. */
    server: server as unknown as WebSocketServerLike,
    /**
     * Answers a handshake at a path of the JSON-RPC, or rejects it if a limit is reached. A request of node's `request` event is not a
     * handshake, whatever its headers say: the next handler gets it.
     */
    async upgrade(this: void, context: RequestContext, next: Next): Promise<Response | void> {
      const { incoming, outgoing } = context.env as Partial<HttpBindings>
      if (!incoming || outgoing) return next()
      const path = context.req.path.replace(/(?<=.)\/$/, '')
      const rpc = routes.find((route) => route.path === path)?.server
      if (!rpc || draining) return context.text('', 503)
      if (total >= config.wsConnections) return context.text('', 429)
      const caller = callerOf(incoming)
      const { id } = caller()
      const isAllowed = enter(caller())
      // If the handshake fails, the WebSocket emits no event, so the socket itself is counted.
      incoming.socket.once('close', () => leave(id))
      return upgradeWebSocket(context, events(rpc, caller, incoming, isAllowed), {
        onError: (error) => options.onError(error, 'a WebSocket event failed'),
      })
    },
    /** Closes every connection (1001) and waits until they have ended, at most this many milliseconds. */
    async drain(milliseconds: number): Promise<void> {
      draining = true
      clearInterval(ticker)
      for (const connection of connections.keys())
        connection.close(GOING_AWAY, 'server is shutting down')
      const deadline = now() + Math.min(milliseconds, DRAIN_MS)
      while (connections.size > 0 && now() < deadline) await sleep(20)
      for (const ws of server.clients) ws.terminate()
      server.close()
    },
  }
}

export declare namespace createWsServer {
  type Options = {
    config: Pick<
      Config,
      'bodyLimit' | 'wsBuffer' | 'wsConnections' | 'wsConnectionsPerClient' | 'wsIdle'
    >
    /** Who makes a handshake, as the API keys file says at each time. Called after the key of the handshake was accepted. */
    callerOf: (incoming: IncomingMessage) => () => Caller
    /** The budget of bytes that are held for clients. */
    held: HeldBytes
    limits: Pick<CallLimits, 'charge' | 'isOver'>
    now?: () => number
    /** Called with the number of connections whenever it changes. */
    onConnections?: (count: number) => void
    /** Called when a connection is disconnected, with the reason. */
    onCut: (reason: string) => void
    onError: (error: unknown, message: string) => void
    /** The server behind each path. */
    routes: readonly { path: string; server: RpcServer }[]
    /** Answers and notifications that clients have not yet read. */
    unsent: Unsent
  }
}

/** Tells a client over its limit why, in the way that WebSocket clients can read: 1013, Try Again Later. */
function refuseSocket(ws: WebSocket): void {
  ws.close(1013, 'too many WebSocket connections')
  setTimeout(() => ws.terminate(), DRAIN_MS).unref()
}

const GOING_AWAY = 1001
const POLICY_VIOLATION = 1008

/** Each fragment of a message, and each part in which it arrives, takes a Buffer: the library's own limits allow 25 MB of them. */
const FRAGMENTS = { maxBufferedChunks: 8_192, maxFragments: 1_024 }

/** Milliseconds. A little more than the time that a connection has to answer a close frame. */
const DRAIN_MS = 2_500
