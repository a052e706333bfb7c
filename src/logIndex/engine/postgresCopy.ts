import type { Entry } from './engine.ts'

/** The signature, no flags, no extension: what every binary COPY begins with. */
const HEADER = Buffer.concat([Buffer.from('PGCOPY\n\u00FF\r\n\0', 'latin1'), Buffer.alloc(8)])
/** A tuple of −1 columns ends it. */
const TRAILER = Buffer.from([0xff, 0xff])

/** Bytes of one piece that is handed to the socket. */
const CHUNK = 1024 * 1024

/** Rows of two `bytea` columns as PostgreSQL's binary COPY spells them, in pieces. */
export function* copyChunks(entries: readonly Entry[]): Generator<Buffer> {
  yield HEADER
  let chunk = Buffer.allocUnsafe(CHUNK)
  let at = 0
  for (const { key, value } of entries) {
    const bytes = 2 + 4 + key.length + 4 + value.length
    if (at + bytes > chunk.length) {
      yield chunk.subarray(0, at)
      chunk = Buffer.allocUnsafe(Math.max(CHUNK, bytes))
      at = 0
    }
    at = chunk.writeInt16BE(2, at)
    at = chunk.writeInt32BE(key.length, at)
    at += key.copy(chunk, at)
    at = chunk.writeInt32BE(value.length, at)
    at += value.copy(chunk, at)
  }
  yield chunk.subarray(0, at)
  yield TRAILER
}
