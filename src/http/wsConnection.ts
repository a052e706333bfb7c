import { randomBytes } from 'node:crypto'

import type { WebSocket } from 'ws'

import { createStop } from '../lib/stopSignal.ts'
import type { TimeSlice } from '../lib/timeSlice.ts'
import type { Caller } from '../limits/caller.ts'
import type { CallLimits } from '../limits/limits.ts'
import { permitSame } from '../limits/policy.ts'
import { EVENT_PRICE } from '../limits/prices.ts'
import { answerBytes } from '../rpc/jsonrpc/answer.ts'
import { createDelivery, type Delivery } from '../rpc/jsonrpc/delivery.ts'
import type { RpcServer } from '../rpc/jsonrpc/server.ts'
import {
  type ClientCall,
  ClientGoneError,
  type RequestHeaders,
  type RpcSocket,
} from '../rpc/request.ts'
import { COUNTED, type Reader, type Unsent } from './unsent.ts'

/** One WebSocket client: its requests, its notifications, its timeouts. */
export type WsConnection = {
  readonly socket: RpcSocket
  /** @param message - the text of a text message, or the bytes of a binary one. */
  receive(message: string | Buffer): void
  /** The connection has ended. */
  closed(): void
  /** Disconnects: sends a close frame, and destroys the socket when the peer does not answer it. */
  close(code: number, reason: string): void
  /** Called at every ping interval: disconnects dead and idle peers, pings the others. */
  tick(now: number): void
}

/** Serves one client. Sends each answer when it is ready, so answers may come in another order than the requests. */
export function createWsConnection(
  ws: WebSocket,
  server: RpcServer,
  {
    bufferLimit,
    caller,
    headers,
    idleTimeout,
    limits,
    now,
    onCut,
    onError,
    timeSlice,
    unsent,
  }: createWsConnection.Options,
): WsConnection {
  const { id, key } = caller()
  const meter = { cost: 0, charged: 0 }
  const gone = createStop()
  /** Requests without an answer yet. */
  const open = new Set<Delivery>()
  const closeListeners = new Set<() => void>()
  /** Messages of one read that arrived before the socket was paused. */
  const waiting: (string | Buffer)[] = []
  let inFlight = 0
  /** Whether requests wait for the time slice that all connections share. */
  let queued = false
  let lastUse = now()
  let awaitingPong = false
  let ended = false
  ws.on('pong', () => {
    awaitingPong = false
  })

  const socket: RpcSocket = {
    id: randomBytes(16).toString('hex'),
    client: id,
    get call() {
      return { caller: caller(), meter, signal: gone }
    },
    get maxSubscriptions() {
      return caller().limits.subscriptions
    },
    send(text) {
      if (ended || ws.readyState !== ws.OPEN) return
      if (ws.bufferedAmount > bufferLimit) return cut(TRY_AGAIN_LATER, 'reader too slow')
      lastUse = now()
      chargeReads(EVENT_PRICE)
      ws.send(text, TEXT)
      count(text.length)
    },
    settle() {
      chargeReads(0)
      return !limits.isOver(caller())
    },
    buffered: () => ws.bufferedAmount,
    close: (code, reason) => close(code, reason),
    onClose(listener) {
      if (ended) {
        listener()
        return () => {}
      }
      closeListeners.add(listener)
      return () => {
        closeListeners.delete(listener)
      }
    },
  }

  /** Charges what subscriptions read from nodes since the last charge. Calls charge it too. */
  function chargeReads(units: number) {
    limits.charge(caller(), units + meter.cost)
    meter.cost = 0
  }

  /** Bytes given to the socket so far. */
  let given = 0
  const reader: Reader = {
    client: id,
    unsent: () => (ended ? 0 : ws.bufferedAmount),
    taken: () => given - ws.bufferedAmount,
    cut(reason) {
      onCut(reason)
      ws.terminate()
    },
  }

  function count(bytes: number) {
    given += bytes
    if (ws.bufferedAmount > COUNTED) unsent.watch(reader)
  }

  function close(code: number, reason: string) {
    if (ws.readyState === ws.OPEN) ws.close(code, reason)
    // A peer that does not read never gets the close frame.
    setTimeout(() => ws.terminate(), CLOSE_GRACE_MS).unref()
  }

  function cut(code: number, reason: string) {
    onCut(reason)
    close(code, reason)
  }

  const callOf = ({ onDelivery }: Delivery): ClientCall => ({
    client: id,
    caller: caller(),
    meter,
    headers,
    signal: gone,
    socket,
    onDelivery,
  })

  async function answer(message: string | Buffer) {
    const delivery = createDelivery(onError)
    open.add(delivery)
    const answer = await server.answer(message, callOf(delivery))
    inFlight--
    open.delete(delivery)
    if (answer && !ended && ws.readyState === ws.OPEN) {
      ws.send(answerBytes(answer), TEXT, (error) => {
        delivery.end(!error)
        flow()
      })
      count(answer.bytes)
    } else delivery.end(false)
    flow()
  }

  /**
   * Starts waiting requests while the client reads its answers. A client that sends faster than it reads must wait; its
   * requests are not buffered. When the time slice is over, each connection starts one request in turn.
   */
  function flow() {
    if (ended || queued) return
    while (isReady() && !timeSlice.isOver()) startNext()
    queued = isReady()
    if (queued) void inTurn()
    const reads = !queued && !isBusy()
    if (reads === ws.isPaused) ws[reads ? 'resume' : 'pause']()
  }

  const isBusy = () => inFlight >= MAX_IN_FLIGHT || ws.bufferedAmount > bufferLimit
  const isReady = () => waiting.length > 0 && !isBusy()

  async function inTurn() {
    await timeSlice.next(socket.call)
    queued = false
    if (!ended) startNext()
    flow()
  }

  function startNext() {
    inFlight++
    answer(waiting.shift() ?? '').catch((error: unknown) => {
      onError(error, 'a request failed')
      // Its client would wait for ever.
      close(INTERNAL_ERROR, 'a request failed')
    })
  }

  /** Waits for a time slice, because tens of thousands of subscriptions may end at once. */
  async function notifyClosed() {
    if (timeSlice.isOver()) await timeSlice.next()
    const listeners = [...closeListeners]
    closeListeners.clear()
    for (const listener of listeners)
      try {
        listener()
      } catch (error) {
        onError(error, 'a listener of a closed connection failed')
      }
  }

  return {
    socket,
    close,
    receive(message) {
      lastUse = now()
      waiting.push(message)
      flow()
    },
    closed() {
      if (ended) return
      ended = true
      chargeReads(0)
      gone.stop(new ClientGoneError())
      for (const delivery of open) delivery.end(false)
      void notifyClosed()
    },
    tick(time) {
      if (ended || ws.readyState !== ws.OPEN) return
      const current = caller()
      if (current.refused) return cut(POLICY_VIOLATION, 'the API key may not be used any more')
      // Its subscriptions may be to what it may not read any more.
      if (!permitSame(key, current.key))
        return cut(POLICY_VIOLATION, 'the permissions of the API key have changed')
      if (ws.isPaused) {
        // This side has paused reading, so the pong may have arrived.
        awaitingPong = false
        return
      }
      if (awaitingPong) {
        onCut('no answer to ping')
        ws.terminate()
      } else if (closeListeners.size === 0 && inFlight === 0 && time - lastUse >= idleTimeout)
        cut(NORMAL, 'idle')
      else {
        awaitingPong = true
        ws.ping()
      }
    },
  }
}

export declare namespace createWsConnection {
  type Options = {
    /** Unsent bytes above which a notification closes the connection. One answer may exceed it. */
    bufferLimit: number
    /** Who calls, as the API keys file says at the time of the call. */
    caller: () => Caller
    /** Of the handshake. */
    headers?: RequestHeaders | undefined
    /** Milliseconds without a request or notification after which an unused connection is closed. */
    idleTimeout: number
    limits: Pick<CallLimits, 'charge' | 'isOver'>
    now: () => number
    onCut: (reason: string) => void
    onError: (error: unknown, message: string) => void
    /** Shared by all connections: the time slice of their requests in each event loop tick. */
    timeSlice: TimeSlice
    unsent: Unsent
  }
}

const TEXT = { binary: false }

/** The error for bytes that are not a text. Replacement characters would change an id that is sent back. */
const NORMAL = 1000
const POLICY_VIOLATION = 1008
const INTERNAL_ERROR = 1011
const TRY_AGAIN_LATER = 1013

/** Time for the peer to answer a close frame. */
const CLOSE_GRACE_MS = 2_000

/** Maximum number of requests of one connection in flight. At the limit its socket is not read. */
const MAX_IN_FLIGHT = 64
