import { LimitExceededError } from './errors.ts'
import type { Hold } from './heldBytes.ts'
import { smallParts } from './smallParts.ts'

/** Bytes of a rejected body that are read and discarded before the connection is closed. */
const DROP_LIMIT = 64 * 1024 * 1024

/** Bytes of the parts that are read while a body of tiny parts waits for its turn: 16 KiB, each in an object of its own. */
const WAITING = 4 * 1024 * 1024

/** The first size of a buffer for a body in parts. */
const SMALL = 4 * 1024

/** Collects the parts of a body in one buffer that grows: a part of one byte takes one byte, not a Buffer of a hundred. */
export type Collected = ReturnType<typeof collectBytes>

/** @param hold - takes the memory before it is allocated */
export function collectBytes(limit: number, hold: Pick<Hold, 'take'>) {
  let buffer = Buffer.alloc(0)
  let used = 0
  let parts = 0
  let waits = false
  return {
    /**
     * @returns a promise if other work must run before the next part
     * @throws BodyTooLargeError, LimitExceededError when no more bytes may be held
     */
    add(part: Uint8Array) {
      const needed = used + part.length
      if (needed > limit) throw new BodyTooLargeError(limit)
      if (needed > buffer.length) {
        const size = Math.min(limit, Math.max(SMALL, needed, 2 * buffer.length))
        if (!hold.take(size - buffer.length)) throw new TooMuchHeldError()
        const larger = Buffer.allocUnsafeSlow(size)
        buffer.copy(larger, 0, 0, used)
        buffer = larger
      }
      buffer.set(part, used)
      used = needed
      const others = smallParts(++parts, used)
      if (others && !waits && !hold.take(WAITING)) throw new TooMuchHeldError()
      waits ||= others !== undefined
      return others
    },
    whole: () => buffer.subarray(0, used),
  }
}

/**
 * The body of a request; undefined when it has more bytes than the limit. The rest is read and discarded, because many clients do not
 * read the answer if the connection closes at once. Hono's `bodyLimit` does not work here: without a content length it creates a new
 * Request from that of `@hono/node-server`, which Node.js does not accept.
 *
 * @throws LimitExceededError when the client may not hold more bytes
 */
export async function textOf(
  { body }: Request,
  limit: number,
  hold: Pick<Hold, 'take'> = UNLIMITED,
): Promise<string | undefined> {
  let collected: Collected | undefined = collectBytes(limit, hold)
  let dropped = 0
  for await (const part of (body ?? []) as AsyncIterable<Uint8Array>)
    try {
      await collected?.add(part)
      if (!collected && (dropped += part.length) > DROP_LIMIT) break
    } catch (error) {
      if (!(error instanceof BodyTooLargeError)) throw error
      collected = undefined
    }
  return collected?.whole().toString()
}

/** For a body that no client sent, as in tests. */
const UNLIMITED = { take: () => true }

/** A body has more bytes than the limit. */
export class BodyTooLargeError extends Error {
  override name = 'BodyTooLargeError'

  constructor(limit: number) {
    super(`Request body exceeds the limit of ${limit} bytes`)
  }
}

/** `-32005`: the client or all clients together hold as many bytes as they may. */
export class TooMuchHeldError extends LimitExceededError {
  override name = 'TooMuchHeldError'

  constructor() {
    super('too many bytes are held for this client, try again later')
  }
}
