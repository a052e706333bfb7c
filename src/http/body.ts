import type { IncomingMessage } from 'node:http'

import { BodyTooLargeError, type Collected, collectBytes, DROP_LIMIT } from '../lib/bodyText.ts'
import type { HeldBytes, Hold } from '../lib/heldBytes.ts'
import type { Caller } from '../limits/caller.ts'
import { ClientGoneError } from '../rpc/request.ts'
import { bodyCoding, type Unpack } from './unpack.ts'

/** A body, and what keeps its memory counted until the call has ended. */
export type Body = { bytes: Buffer; end: () => void }

/** Reads the bodies of JSON-RPC requests. */
export type ReadBody = (incoming: IncomingMessage, caller: Caller) => Promise<Body>

/**
 * Reads bodies with node's own request, because web streams take longer than a call that is answered from memory. It throws
 * BodyTooLargeError, TooMuchHeldError, UnknownCodingError, BrokenBodyError, ClientGoneError, and LimitReachedError when the caller may
 * not have its body unpacked.
 */
export function createReadBody({ held, limit, unpack }: createReadBody.Options): ReadBody {
  return async (incoming, caller) => {
    const coding = bodyCoding(incoming)
    let packed: Hold | undefined
    const hold = {
      take: (bytes: number) => (packed ??= held.hold(caller.id, 'bodies')).take(bytes),
    }
    let unpacked: Hold | undefined
    const end = () => {
      packed?.end()
      unpacked?.end()
    }
    try {
      const bytes = await collect(incoming, limit, hold)
      if (coding === undefined) return { bytes, end }
      unpacked = held.hold(caller.id, 'unpacked bodies')
      return { bytes: await unpack({ body: bytes, caller, coding, hold: unpacked }), end }
    } catch (error) {
      end()
      throw error
    }
  }
}

export declare namespace createReadBody {
  type Options = {
    held: HeldBytes
    /** Largest body, bytes. */
    limit: number
    unpack: Unpack
  }
}

/** Most bodies are one chunk, which is not copied. */
function collect(
  incoming: IncomingMessage,
  limit: number,
  hold: Pick<Hold, 'take'>,
): Promise<Buffer> {
  const expected = Number(incoming.headers['content-length'] ?? -1)
  return new Promise((resolve, reject) => {
    if (expected > limit) return reject(new BodyTooLargeError(limit))
    let collected: Collected | undefined
    let whole: Buffer | undefined
    let isOver = incoming.destroyed
    const add = (chunk: Buffer) => {
      try {
        if (chunk.length === expected) whole = chunk
        else {
          const others = (collected ??= collectBytes(limit, hold)).add(chunk)
          if (!others) return
          incoming.pause()
          void others.then(() => incoming.resume())
        }
      } catch (error) {
        isOver = true
        incoming.off('data', add)
        reject(error)
      }
    }
    // It comes after the end too.
    const close = () => {
      if (!isOver) reject(new ClientGoneError())
    }
    if (isOver) return reject(new ClientGoneError())
    incoming.on('data', add)
    incoming.on('end', () => {
      isOver = true
      resolve(whole ?? collected?.whole() ?? EMPTY)
    })
    incoming.on('error', close)
    incoming.on('close', close)
  })
}

const EMPTY = Buffer.alloc(0)

/** Reads the rest of a rejected body and drops it, because many clients do not read the answer if the connection closes at once. */
export function dropBody(incoming: IncomingMessage): void {
  let dropped = 0
  incoming.on('data', (chunk: Buffer) => {
    dropped += chunk.length
    if (dropped > DROP_LIMIT) incoming.destroy()
  })
  incoming.resume()
}
