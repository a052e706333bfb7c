import type { IncomingMessage } from 'node:http'

import { BodyTooLargeError, type Collected, collectBytes } from '../lib/bodyText.ts'
import type { Hold } from '../lib/heldBytes.ts'
import type { Caller } from '../limits/caller.ts'
import { ClientGoneError } from '../rpc/request.ts'
import { type Body, bodyCoding, createUnpack } from './unpack.ts'

/**
 * Reads bodies. It throws BodyTooLargeError, TooMuchHeldError, CodingError, ClientGoneError, and LimitReachedError when the caller may
 * not have its body unpacked.
 */
export function createReadBody(options: createUnpack.Options) {
  const { config, held } = options
  const unpack = createUnpack(options)
  return (incoming: IncomingMessage, caller: Caller): Promise<Body> => {
    const coding = bodyCoding(incoming)
    const body = collect(incoming, config.bodyLimit, () => held.hold(caller.id, 'bodies'))
    return coding === undefined ? body : body.then((packed) => unpack(packed, coding, caller))
  }
}

function collect(incoming: IncomingMessage, limit: number, open: () => Hold): Promise<Body> {
  const expected = Number(incoming.headers['content-length'] ?? -1)
  return new Promise((resolve, reject) => {
    if (expected > limit) return reject(new BodyTooLargeError(limit))
    if (incoming.destroyed) return reject(new ClientGoneError())
    let hold: Hold | undefined
    let collected: Collected | undefined
    const fail = (error: unknown) => {
      incoming.off('data', add)
      hold?.end()
      reject(error)
    }
    function add(chunk: Buffer) {
      // Most bodies are one chunk, which is not copied, and needs no memory of its own.
      if (chunk.length === expected) return resolve({ bytes: chunk, hold })
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
    incoming.on('end', () => resolve({ bytes: collected?.whole() ?? EMPTY, hold }))
    // It comes after the end too. Without a listener, node reports no error of a connection that has broken.
    incoming.on('close', () => {
      if (!incoming.readableEnded) fail(new ClientGoneError())
    })
  })
}

const EMPTY = Buffer.alloc(0)
