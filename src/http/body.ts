import type { IncomingMessage } from 'node:http'

import { BodyTooLargeError, type Collected, collectBytes, DROP_LIMIT } from '../lib/bodyText.ts'
import type { HeldBytes, Hold } from '../lib/heldBytes.ts'
import type { Caller } from '../limits/caller.ts'
import { ClientGoneError } from '../rpc/request.ts'
import { bodyCoding, type Unpack } from './unpack.ts'

/** A body, and what keeps its memory counted until the call has ended. */
export type Body = { bytes: Buffer; hold: Hold | undefined }

/** Reads the bodies of JSON-RPC requests. */
export type ReadBody = ReturnType<typeof createReadBody>

/**
 * Reads bodies with node's own request, because web streams take longer than a call that is answered from memory. It throws
 * BodyTooLargeError, TooMuchHeldError, CodingError, ClientGoneError, and LimitReachedError when the caller may not have its body
 * unpacked.
 */
export function createReadBody({ held, limit, unpack }: createReadBody.Options) {
  async function unpacked(caller: Caller, coding: string, { bytes, hold: packed }: Body) {
    const hold = held.hold(caller.id, 'unpacked bodies')
    try {
      return { bytes: await unpack({ body: bytes, caller, coding, hold }), hold }
    } catch (error) {
      hold.end()
      throw error
    } finally {
      packed?.end()
    }
  }

  return (incoming: IncomingMessage, caller: Caller): Promise<Body> => {
    const coding = bodyCoding(incoming)
    const body = collect(incoming, limit, () => held.hold(caller.id, 'bodies'))
    return coding === undefined ? body : body.then((body) => unpacked(caller, coding, body))
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
function collect(incoming: IncomingMessage, limit: number, open: () => Hold): Promise<Body> {
  const expected = Number(incoming.headers['content-length'] ?? -1)
  return new Promise((resolve, reject) => {
    if (expected > limit) return reject(new BodyTooLargeError(limit))
    if (incoming.destroyed) return reject(new ClientGoneError())
    let whole: Buffer = EMPTY
    let hold: Hold | undefined
    let collected: Collected | undefined
    const fail = (error: unknown) => {
      incoming.off('data', add)
      hold?.end()
      reject(error)
    }
    function add(chunk: Buffer) {
      if (chunk.length === expected) {
        whole = chunk
        return
      }
      try {
        const others = (collected ??= collectBytes(limit, (hold = open()))).add(chunk)
        if (!others) return
        incoming.pause()
        void others.then(() => incoming.resume())
      } catch (error) {
        fail(error)
      }
    }
    incoming.on('data', add)
    incoming.on('end', () => resolve({ bytes: collected?.whole() ?? whole, hold }))
    // It comes after the end too. Without a listener, node reports no error of a connection that has broken.
    incoming.on('close', () => {
      if (!incoming.readableEnded) fail(new ClientGoneError())
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
