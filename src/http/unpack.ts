import type { IncomingMessage } from 'node:http'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'
import * as zlib from 'node:zlib'

import type { Config } from '../config/config.ts'
import { BodyTooLargeError, TooMuchHeldError } from '../lib/bodyText.ts'
import { createFairLimit } from '../lib/fairLimit.ts'
import type { HeldBytes, Hold } from '../lib/heldBytes.ts'
import type { Caller } from '../limits/caller.ts'
import type { CallLimits } from '../limits/limits.ts'
import { answerPrice } from '../limits/prices.ts'

/** A body, and what keeps its memory counted until the call has ended. */
export type Body = { bytes: Buffer; hold: Hold | undefined }

type Decode = (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>

/** The codings of request bodies. RFC 9110 (8.4.1.3): `x-gzip` is `gzip`. */
const DECODERS: ReadonlyMap<string, Decode> = new Map<string, Decode>([
  ['br', promisify(zlib.brotliDecompress)],
  ['deflate', promisify(zlib.inflate)],
  ['gzip', promisify(zlib.gunzip)],
  ['x-gzip', promisify(zlib.gunzip)],
])

/** The value of Accept-Encoding in an answer to a body in another coding. */
export const ACCEPTED_CODINGS = [...DECODERS.keys()].join(', ')

/**
 * The coding of a request body, in lower case; undefined for one that is as it is.
 *
 * @throws CodingError
 */
export function bodyCoding({ headers }: IncomingMessage): string | undefined {
  const given = headers['content-encoding']
  if (given === undefined) return undefined
  const coding = given.trim().toLowerCase()
  if (coding === '' || coding === 'identity') return undefined
  if (!DECODERS.has(coding)) throw new CodingError(415)
  return coding
}

/**
 * Decompresses request bodies on the threads of the system: as many at once as there are threads, the callers in turn. A body of 500
 * bytes may become one of the limit, so memory and price of the largest result are taken before, and the rest is given back.
 */
export function createUnpack({ config: { bodyLimit }, held, limits }: createUnpack.Options) {
  const turns = createFairLimit(THREADS)

  async function unpack({ bytes, hold: packed }: Body, coding: string, caller: Caller) {
    const hold = held.hold(caller.id, 'unpacked bodies')
    try {
      const refused = limits.refusal(caller)
      if (refused) throw refused
      const most = coding === 'br' ? bodyLimit : Math.min(bodyLimit, bytes.length * DEFLATE_RATIO)
      if (!hold.take(most)) throw new TooMuchHeldError()
      limits.charge(caller, answerPrice(most))
      const decode = DECODERS.get(coding) as Decode
      const unpacked = await decode(bytes, { maxOutputLength: bodyLimit }).catch(
        (error: NodeJS.ErrnoException) => {
          const isTooLarge = error.code === 'ERR_BUFFER_TOO_LARGE'
          throw isTooLarge ? new BodyTooLargeError(bodyLimit) : new CodingError(200)
        },
      )
      hold.set(unpacked.length)
      limits.charge(caller, answerPrice(unpacked.length) - answerPrice(most))
      return { bytes: unpacked, hold }
    } catch (error) {
      hold.end()
      throw error
    } finally {
      packed?.end()
    }
  }

  /** @param coding - as of `bodyCoding` */
  return (body: Body, coding: string, caller: Caller) =>
    turns(() => unpack(body, coding, caller), { caller })
}

export declare namespace createUnpack {
  type Options = {
    config: Pick<Config, 'bodyLimit'>
    /** The budget of bytes that are held for clients. */
    held: HeldBytes
    limits: Pick<CallLimits, 'charge' | 'refusal'>
  }
}

/** No bytes of deflate become more than so many times as many. */
const DEFLATE_RATIO = 1_032

/** The size of node's thread pool, unless there are fewer processors. */
const THREADS = Math.min(4, availableParallelism())

/** A body has a Content-Encoding that is not known, or it cannot be decompressed. */
export class CodingError extends Error {
  override name = 'CodingError'
  readonly status: 200 | 415

  /** @param status - of the answer: 415, or 200 for a body that is broken */
  constructor(status: 200 | 415) {
    super('a body cannot be decompressed')
    this.status = status
  }
}
