import type { IncomingMessage } from 'node:http'
import { availableParallelism } from 'node:os'
import * as zlib from 'node:zlib'

import { BodyTooLargeError, TooMuchHeldError } from '../lib/bodyText.ts'
import { createFairLimit } from '../lib/fairLimit.ts'
import type { Hold } from '../lib/heldBytes.ts'
import type { Caller } from '../limits/caller.ts'
import type { CallLimits } from '../limits/limits.ts'
import { answerPrice } from '../limits/prices.ts'

type Decode = (
  body: Buffer,
  options: { maxOutputLength: number },
  done: (error: Error | null, result: Buffer) => void,
) => void

/** The codings of request bodies. RFC 9110 (8.4.1.3): `x-gzip` is `gzip`. */
const DECODERS: ReadonlyMap<string, Decode> = new Map<string, Decode>([
  ['br', zlib.brotliDecompress],
  ['deflate', zlib.inflate],
  ['gzip', zlib.gunzip],
  ['x-gzip', zlib.gunzip],
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

/** Decompresses request bodies. */
export type Unpack = ReturnType<typeof createUnpack>

type Packed = {
  body: Buffer
  caller: Caller
  /** As of `bodyCoding`. */
  coding: string
  /** Takes the memory of the result. */
  hold: Hold
}

/**
 * Decompresses request bodies on the threads of the system: as many at once as there are threads, the callers in turn. A body of 500
 * bytes may become one of the limit, so memory and price of the largest result are taken before, and the rest is given back.
 *
 * @param limit - largest result, bytes
 */
export function createUnpack(limit: number, limits: Pick<CallLimits, 'charge' | 'refusal'>) {
  const turns = createFairLimit(THREADS)

  async function unpack({ body, caller, coding, hold }: Packed): Promise<Buffer> {
    const refused = limits.refusal(caller)
    if (refused) throw refused
    const most = coding === 'br' ? limit : Math.min(limit, body.length * DEFLATE_RATIO)
    if (!hold.take(most)) throw new TooMuchHeldError()
    limits.charge(caller, answerPrice(most))
    const decode = DECODERS.get(coding) as Decode
    const unpacked = await new Promise<Buffer>((resolve, reject) =>
      decode(body, { maxOutputLength: limit }, (error, result) =>
        error ? reject(errorOf(error, limit)) : resolve(result),
      ),
    )
    hold.set(unpacked.length)
    limits.charge(caller, answerPrice(unpacked.length) - answerPrice(most))
    return unpacked
  }

  return (packed: Packed) => turns(() => unpack(packed), packed)
}

/** No bytes of deflate become more than so many times as many. */
const DEFLATE_RATIO = 1_032

/** The size of node's thread pool, unless there are fewer processors. */
const THREADS = Math.min(4, availableParallelism())

function errorOf(error: NodeJS.ErrnoException, limit: number): Error {
  return error.code === 'ERR_BUFFER_TOO_LARGE' ? new BodyTooLargeError(limit) : new CodingError(200)
}

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
