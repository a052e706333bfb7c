/** Watches the answers that wait for their readers, over all connections, and cuts those who do not read. */
export type Unsent = {
  /** Whether an answer of so many bytes may wait too. Cuts readers that stand still to make room. */
  hasRoom(bytes: number): boolean
  /** Watches a reader until nothing of it waits any more. */
  watch(reader: Reader): void
  /** Bytes that wait. */
  bytes(): number
  stop(): void
}

/** A connection with something unsent. */
export type Reader = {
  /** Bytes that wait for it. */
  unsent(): number
  /** Bytes that it has taken so far: what tells a slow reader from one that does not read. */
  taken(): number
  /** Ends the connection. */
  cut(reason: string): void
}

/**
 * A reader that takes nothing for `patience` is cut; when more than `limit` bytes wait, one that has taken nothing for
 * `shortPatience`.
 */
export function createUnsent({
  interval = 1_000,
  limit,
  now = () => performance.now(),
  patience = 60_000,
  shortPatience = 2_000,
}: createUnsent.Options): Unsent {
  const readers = new Map<Reader, { since: number; taken: number }>()
  let timer: NodeJS.Timeout | undefined
  /** Bytes that waited at the last look, and what was let in since. */
  let known = 0

  /** Bytes that wait now; readers that take nothing are cut on the way. */
  function look(extra = 0): number {
    const time = now()
    let bytes = extra
    for (const [reader, state] of readers) {
      const unsent = reader.unsent()
      if (unsent === 0) readers.delete(reader)
      bytes += unsent
      const taken = reader.taken()
      if (taken > state.taken) Object.assign(state, { since: time, taken })
    }
    const idle = [...readers].toSorted(([, a], [, b]) => a.since - b.since)
    for (const [reader, { since }] of idle) {
      const isOver = time - since >= (bytes > limit ? shortPatience : patience)
      if (!isOver) break
      bytes -= reader.unsent()
      readers.delete(reader)
      reader.cut('reader too slow')
    }
    if (readers.size === 0) stop()
    known = bytes
    return bytes
  }

  function stop() {
    clearInterval(timer)
    timer = undefined
  }

  return {
    stop,
    bytes: () => [...readers.keys()].reduce((sum, reader) => sum + reader.unsent(), 0),
    hasRoom(bytes) {
      if (bytes <= COUNTED) return true
      // A look takes as long as there are readers.
      if (known + bytes <= limit / 2) known += bytes
      else if (look(bytes) > limit) {
        known -= bytes
        return false
      }
      return true
    },
    watch(reader) {
      if (readers.has(reader)) return
      readers.set(reader, { since: now(), taken: reader.taken() })
      timer ??= setInterval(() => look(), interval).unref()
    },
  }
}

export declare namespace createUnsent {
  type Options = {
    /** Milliseconds between looks. @default 1,000 */
    interval?: number
    /** Most bytes that wait, over all connections. */
    limit: number
    /** Milliseconds. @default performance.now */
    now?: () => number
    /** Milliseconds that a reader may take nothing. @default 60,000 */
    patience?: number
    /** The same while more waits than may. @default 2,000 */
    shortPatience?: number
  }
}

/** Answers below this many bytes are not counted: each connection has one at most. */
export const COUNTED = 64 * 1024
