import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline, Readable, type Transform } from 'node:stream'
import * as zlib from 'node:zlib'

import { parseAccept } from 'hono/utils/accept'

import type { Answer } from '../rpc/jsonrpc/answer.ts'
import type { Unsent } from './unsent.ts'

/** Bytes from which an answer is compressed. A smaller one is sent sooner than it is compressed. */
const COMPRESSED = 64 * 1024

type Coding = { name: string; create: () => Encoder }

/** It counts what it has read. */
type Encoder = Transform & { readonly bytesWritten: number }

const FAST = { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 }

/** The codings of answers, best first, at the levels that are fast. Node 20 has no zstd. */
const CODINGS: readonly Coding[] = [
  ...('createZstdCompress' in zlib
    ? [{ name: 'zstd', create: zlib.createZstdCompress as () => Encoder }]
    : []),
  { name: 'br', create: () => zlib.createBrotliCompress({ params: FAST }) },
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
  const encoder = create()
  pipeline(Readable.from(parts), encoder, outgoing, () => {})
  unsent.watchResponse(outgoing, client, bytes, () => bytes - encoder.bytesWritten)
}
