import type { IncomingMessage } from 'node:http'

import { BodyTooLargeError, type Collected, collectBytes, DROP_LIMIT } from '../lib/bodyText.ts'
import type { HeldBytes, HeldPlace, Hold } from '../lib/heldBytes.ts'
import type { Caller } from '../limits/caller.ts'
import { ClientGoneError } from '../rpc/request.ts'
import { bodyCoding, type Unpack } from './unpack.ts'

/** A body, and what keeps its memory counted until the call has ended. */
export type Body = { bytes: Buffer; end: () => void }

/** Reads the bodies of JSON-RPC requests. */
export type ReadBody = ReturnType<typeof createReadBody>

/**
 * Reads bodies with node's own request, because web streams take longer than a call that is answered from memory. It throws
 * BodyTooLargeError, TooMuchHeldError, UnknownCodingError, BrokenBodyError, ClientGoneError, and LimitReachedError when the caller may
 * not have its body unpacked.
 */
export function createReadBody({ held, limit, unpack }: createReadBody.Options) {
  return async (incoming: IncomingMessage, caller: Caller): Promise<Body> => {
    const coding = bodyCoding(incoming)
    const holds: Hold[] = []
    const holdFor = (place: HeldPlace) => {
      const hold = held.hold(caller.id, place)
      holds.push(hold)
      return hold
    }
    const end = () => holds.forEach((hold) => hold.end())
    try {
      const bytes = await collect(incoming, limit, () => holdFor('bodies'))
      if (coding === undefined) return { bytes, end }
      const hold = holdFor('unpacked bodies')
      return { bytes: await unpack({ body: bytes, caller, coding, hold }), end }
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

/** Most bodies are one chunk, which is not copied, and needs no memory of its own. */
function collect(incoming: IncomingMessage, limit: number, hold: () => Hold): Promise<Buffer> {
  const expected = Number(incoming.headers['content-length'] ?? -1)
  return new Promise((resolve, reject) => {
    if (expected > limit) return reject(new BodyTooLargeError(limit))
    if (incoming.destroyed) return reject(new ClientGoneError())
    let collected: Collected | undefined
    let whole: Buffer = EMPTY
    const add = (chunk: Buffer) => {
      if (chunk.length === expected) {
        whole = chunk
        return
      }
      try {
        const others = (collected ??= collectBytes(limit, hold())).add(chunk)
        if (!others) return
        incoming.pause()
        void others.then(() => incoming.resume())
      } catch (error) {
        incoming.off('data', add)
        reject(error)
      }
    }
    incoming.on('data', add)
    incoming.on('end', () => resolve(collected?.whole() ?? whole))
    // It comes after the end too. Without a listener, node reports no error of a connection that has broken.
    incoming.on('close', () => {
      if (!incoming.readableEnded) reject(new ClientGoneError())
    })
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
