import type { ServerResponse } from 'node:http'

import { createHeldBytes, type HeldBytes, type Hold } from '../lib/heldBytes.ts'

/** Counts the unread answers of all connections and disconnects clients that do not read. */
export type Unsent = ReturnType<typeof createUnsent>

/** A connection with something unsent. */
export type Reader = {
  /** The id of the caller. */
  readonly client: string
  /** Unread bytes of this connection. */
  unsent(): number
  /** Bytes that it has read so far. They distinguish a slow reader from a stalled one. */
  taken(): number
  /** Ends the connection. */
  cut(reason: string): void
}

/**
 * Disconnects a client that reads nothing for `stallTimeout`; while more than `limit` bytes are unread, one that reads nothing for
 * `shortStallTimeout`.
 */
export function createUnsent({
  held = createHeldBytes({ limit: Infinity, share: Infinity }),
  interval = 1_000,
  limit,
  now = () => performance.now(),
  stallTimeout = 60_000,
  shortStallTimeout = 2_000,
}: createUnsent.Options) {
  const readers = new Map<Reader, { hold: Hold; since: number; taken: number }>()
  let timer: NodeJS.Timeout | undefined
  /** Unread bytes at the last check, and those added since. */
  let known = 0

  /** Counts the unread bytes, and disconnects stalled readers. */
  function check(extra = 0): number {
    const time = now()
    let bytes = extra
    for (const [reader, state] of readers) {
      const unsent = reader.unsent()
      state.hold.set(unsent)
      if (unsent === 0) readers.delete(reader)
      bytes += unsent
      const taken = reader.taken()
      if (taken > state.taken) Object.assign(state, { since: time, taken })
    }
    const idle = [...readers].toSorted(([, a], [, b]) => a.since - b.since)
    for (const [reader, { hold, since }] of idle) {
      const isOver = time - since >= (bytes > limit ? shortStallTimeout : stallTimeout)
      if (!isOver) break
      bytes -= reader.unsent()
      hold.end()
      readers.delete(reader)
      reader.cut('reader too slow')
    }
    if (readers.size === 0) stop()
    known = bytes
    return bytes
  }

  /** Watches a reader until it has read everything. */
  function watch(reader: Reader): void {
    if (readers.has(reader)) return
    const hold = held.hold(reader.client, 'answers')
    hold.set(reader.unsent())
    readers.set(reader, { hold, since: now(), taken: reader.taken() })
    timer ??= setInterval(() => check(), interval).unref()
  }

  function stop() {
    clearInterval(timer)
    timer = undefined
  }

  return {
    stop,
    /** Unread bytes. */
    bytes: () => [...readers.keys()].reduce((sum, reader) => sum + reader.unsent(), 0),
    /** Whether an answer of this size may wait for a client. Disconnects stalled readers to make room. */
    hasRoom(bytes: number, client: string): boolean {
      if (bytes <= COUNTED) return true
      if (!held.hasRoom(client, bytes)) check()
      if (!held.hasRoom(client, bytes)) return false
      // A check takes time for each reader.
      if (known + bytes <= limit / 2) known += bytes
      else if (check(bytes) > limit) {
        known -= bytes
        return false
      }
      return true
    },
    watch,
    /**
     * Watches the client of a response with so many bytes, unless it has read all of them.
     *
     * @param unwritten - bytes that are not given to the response yet
     */
    watchResponse(
      outgoing: ServerResponse,
      client: string,
      bytes: number,
      unwritten: () => number,
    ): void {
      const unsent = () => (outgoing.closed ? 0 : unwritten() + outgoing.writableLength)
      if (unsent() === 0) return
      watch({ client, cut: () => outgoing.destroy(), taken: () => bytes - unsent(), unsent })
    },
  }
}

export declare namespace createUnsent {
  type Options = {
    /** The budget of bytes that are held for clients. @default without limits */
    held?: HeldBytes
    /** Milliseconds between checks. @default 1,000 */
    interval?: number
    /** Maximum number of unread bytes of all connections. */
    limit: number
    /** Milliseconds. @default performance.now */
    now?: () => number
    /** Milliseconds that a client may read nothing. @default 60,000 */
    stallTimeout?: number
    /** The same while there are more unread bytes than the limit. @default 2,000 */
    shortStallTimeout?: number
  }
}

/** Smaller answers, in bytes, are not counted, because a connection has at most one unread answer. */
export const COUNTED = 64 * 1024
