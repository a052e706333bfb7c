import type { ServerResponse } from 'node:http'

import { timeSlice } from '../lib/timeSlice.ts'
import { type Answer, answerBytes } from '../rpc/jsonrpc/answer.ts'
import { COUNTED, type Unsent } from './unsent.ts'

/**
 * Writes the body of a response whose headers are set. A large one is written as fast as the client reads, so that one tick
 * of the event loop copies little of it. A client that reads nothing is disconnected.
 *
 * @param client - the id of the caller
 */
export function sendAnswer(
  outgoing: ServerResponse,
  answer: Answer,
  client: string,
  unsent: Unsent,
): void {
  const { bytes, parts } = answer
  if (bytes > FIRST_PIECE) {
    void sendInPieces(outgoing, parts.toReversed(), bytes, client, unsent)
    return
  }
  write(outgoing, answer)
  outgoing.end()
  // The kernel takes most answers at once.
  if (bytes > COUNTED) unsent.watchResponse(outgoing, client, bytes, () => 0)
}

/**
 * Headers and body are one write. The body is not given to `end`, which then would write an empty text after it: two pieces
 * take node longer than one.
 */
function write(outgoing: ServerResponse, answer: Answer): void {
  const { bytes, parts } = answer
  const areSmall = parts.length > FEW_PARTS && bytes < parts.length * LARGE_PART
  const memory = areSmall && bytes > TEXT_LIMIT ? takeSpare(bytes) : undefined
  outgoing.cork()
  if (bytes <= TEXT_LIMIT) writeText(outgoing, answer)
  // A copy of many small parts costs less than a write each.
  else if (memory) outgoing.write(answerBytes(answer, memory.subarray(0, bytes)))
  else for (const part of parts) outgoing.write(part)
  outgoing.uncork()
  // Otherwise the socket still reads from it.
  if (memory && outgoing.writableLength === 0) spare.set(memory.length, memory)
}

/** Writes the parts as one text. With latin1 for reading and writing, no byte changes. */
function writeText(outgoing: ServerResponse, answer: Answer): void {
  let text = ''
  for (const part of answer.parts) text += typeof part === 'string' ? part : part.toString('latin1')
  // Non-ASCII text, which only an id can contain, has fewer characters than bytes.
  if (text.length === answer.bytes) outgoing.write(text, 'latin1')
  else outgoing.write(answerBytes(answer))
}

/**
 * Memory for the copies, one buffer of each power of two. The system clears new memory page by page: for a batch of 30 with 74 KB that
 * takes a third of the CPU time.
 */
const spare = new Map<number, Buffer>()

function takeSpare(bytes: number): Buffer {
  const size = 2 ** Math.ceil(Math.log2(bytes))
  const memory = spare.get(size) ?? Buffer.allocUnsafeSlow(size)
  spare.delete(size)
  return memory
}

/**
 * Writes a piece whenever the previous one was sent. The first piece is the largest: each write wakes the client, and the most common
 * answers then need one. Each part is released as soon as it is written: a client that reads slowly or stops reading holds only the
 * rest of its answer in memory.
 *
 * @param rest - the parts in reverse order
 */
async function sendInPieces(
  outgoing: ServerResponse,
  rest: (string | Buffer)[],
  bytes: number,
  client: string,
  unsent: Unsent,
): Promise<void> {
  let left = bytes
  unsent.watchResponse(outgoing, client, bytes, () => left)
  for (let most = FIRST_PIECE; left > 0; most = PIECE) {
    // Copying to the kernel takes time.
    if (timeSlice.isOver()) await timeSlice.next()
    if (outgoing.destroyed) return
    // No small piece remains at the end.
    const size = left < 2 * most ? left : most
    left -= size
    write(outgoing, { bytes: size, parts: taken(rest, size) })
    // A piece is larger than the buffer of a socket, so a drain event always follows, unless the connection ends.
    if (left > 0) await new Promise((resolve) => outgoing.once('drain', resolve))
  }
  outgoing.end()
}

/** Removes the next bytes of an answer. @param rest - its parts in reverse order */
function taken(rest: (string | Buffer)[], size: number): Buffer[] {
  const piece: Buffer[] = []
  for (let left = size; left > 0 && rest.length > 0;) {
    const part = rest.pop() ?? ''
    const bytes = typeof part === 'string' ? Buffer.from(part) : part
    piece.push(bytes.subarray(0, left))
    if (bytes.length > left) rest.push(bytes.subarray(left))
    left -= bytes.length
  }
  return piece
}

/**
 * Bytes up to which the parts are joined to one text, which node sends together with the headers. Above, copying costs
 * more.
 */
const TEXT_LIMIT = 4_095

/**
 * Bytes that are written at once, up to twice as many when no more follow: 0.4 ms to copy. A client counts as stalled when it
 * does not read one piece within the `stallTimeout` of `createUnsent`.
 */
const FIRST_PIECE = 1024 * 1024

/** Bytes of each later piece, up to twice as many in the last one: 0.1 ms to copy. */
const PIECE = 256 * 1024

/** Parts of an answer that are written one by one. */
const FEW_PARTS = 4

/** Bytes of a part on average, up to which many are copied. */
const LARGE_PART = 8 * 1024
