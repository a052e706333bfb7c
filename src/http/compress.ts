import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline, Readable, type Transform } from 'node:stream'
import * as zlib from 'node:zlib'

import { parseAccept } from 'hono/utils/accept'

import type { Answer } from '../rpc/jsonrpc/answer.ts'
import type { Unsent } from './unsent.ts'

/** Bytes from which an answer is compressed. A smaller one is sent sooner than it is compressed. */
const COMPRESSED = 64 * 1024

type Coding = { name: string; create: () => Transform }

/** The codings of answers, best first, at the levels that are fast. Node 20 has no zstd. */
const CODINGS: readonly Coding[] = [
  ...('createZstdCompress' in zlib
    ? [{ name: 'zstd', create: zlib.createZstdCompress as () => Transform }]
    : []),
  {
    name: 'br',
    create: () =>
      zlib.createBrotliCompress({ params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } }),
  },
  { name: 'gzip', create: () => zlib.createGzip({ level: 1 }) },
]

/** The coding for an answer; undefined for none: it is small, or the client accepts none. */
export function codingOf({ headers }: IncomingMessage, { bytes }: Answer): Coding | undefined {
  const accepted = headers['accept-encoding']
  if (bytes < COMPRESSED || accepted === undefined) return undefined
  const names = parseAccept([accepted].flat().join(','))
    .filter(({ q }) => q > 0)
    .map(({ type }) => type.toLowerCase())
  return CODINGS.find(({ name }) => names.includes(name))
}

/**
 * Compresses an answer on threads of the system, as fast as the client reads. A client that reads nothing is disconnected, as
 * with other answers.
 */
export function sendCompressed(
  outgoing: ServerResponse,
  { bytes, parts }: Answer,
  { create }: Coding,
  client: string,
  unsent: Unsent,
): void {
  let read = 0
  function* pieces() {
    for (const part of parts) {
      const buffer = typeof part === 'string' ? Buffer.from(part) : part
      for (let at = 0; at < buffer.length; at += PIECE) {
        const piece = buffer.subarray(at, at + PIECE)
        read += piece.length
        yield piece
      }
    }
  }
  pipeline(Readable.from(pieces(), { objectMode: false }), create(), outgoing, () => {})
  unsent.watchResponse(outgoing, client, bytes, () => bytes - read)
}

/** Bytes that are given to a thread at once. */
const PIECE = 64 * 1024
