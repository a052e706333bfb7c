import type { Duplex } from 'node:stream'

import type { WebSocket } from 'ws'

import type { Hold } from '../lib/heldBytes.ts'

/** Watches the messages of a WebSocket that have begun and not ended. */
export type UnfinishedMessages = {
  /** Ends the connection when a message takes too long. @param now - milliseconds */
  tick(now: number): void
}

/**
 * The library keeps the parts of a message until its last one arrives, and tells nobody of them. What has arrived on the socket since the
 * last message, without pings and pongs, is such parts: their bytes are held, and they have the time limit of a request over HTTP.
 *
 * @param cut - ends the connection
 */
export function watchUnfinished(
  ws: WebSocket,
  socket: Duplex,
  { cut, hold, timeLimit = 60_000 }: watchUnfinished.Options,
): UnfinishedMessages {
  let unfinished = 0
  let held = 0
  let since: number | undefined
  let isCut = false

  function end(reason: string) {
    if (!isCut) cut(reason)
    isCut = true
  }

  // Before the listener of the library, which then reports what this part has ended.
  socket.prependListener('data', (part: Buffer) => {
    if (unfinished > 0 && !holds(unfinished)) end('too many bytes are held')
    unfinished += part.length
  })
  ws.on('message', () => {
    unfinished = 0
    held = 0
    since = undefined
    hold.end()
  })
  const control = (data: Buffer) => {
    unfinished = Math.max(0, unfinished - CONTROL_BYTES - data.length)
  }
  ws.on('ping', control)
  ws.on('pong', control)
  ws.on('close', () => hold.end())

  function holds(bytes: number): boolean {
    if (!hold.take(Math.max(0, bytes - held))) return false
    held = bytes
    return true
  }

  return {
    tick(now) {
      if (unfinished === 0) since = undefined
      else if (now - (since ??= now) >= timeLimit) end('a message takes too long')
    },
  }
}

export declare namespace watchUnfinished {
  type Options = {
    cut: (reason: string) => void
    hold: Hold
    /** Milliseconds. @default 60,000 */
    timeLimit?: number
  }
}

/** Bytes of a ping or pong of a client beside its data: two of the header and four of the mask. */
const CONTROL_BYTES = 6
