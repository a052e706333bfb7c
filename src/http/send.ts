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
  const { bytes } = answer
  if (bytes > FIRST_PIECE)
    return unsent.watchResponse(outgoing, client, bytes, endInPieces(outgoing, answer))
  endAtOnce(outgoing, answer)
  // The kernel takes most answers at once.
  if (bytes > COUNTED) unsent.watchResponse(outgoing, client, bytes, () => 0)
}

/**
 * Headers and body are one write. The body is not given to `end`, which then would write an empty text after it: two pieces
 * take node longer than one.
 */
function endAtOnce(outgoing: ServerResponse, answer: Answer): void {
  const { bytes, parts } = answer
  const memory = parts.length > FEW_PARTS && bytes > TEXT_LIMIT ? takeSpare(bytes) : undefined
  outgoing.cork()
  if (bytes <= TEXT_LIMIT) writeText(outgoing, answer)
  else for (const piece of memory ? gathered(parts, memory) : parts) outgoing.write(piece)
  outgoing.uncork()
  // Otherwise the socket still reads from it.
  if (memory && outgoing.writableLength === 0) spare.set(memory.length, memory)
  outgoing.end()
}

/**
 * Memory for the small parts of an answer, one buffer of each power of two. The system clears new memory page by page: for a
 * batch of 30 with 74 KB that takes a third of the CPU time.
 */
const spare = new Map<number, Buffer>()

function takeSpare(bytes: number): Buffer {
  const size = 2 ** Math.ceil(Math.log2(bytes))
  const memory = spare.get(size) ?? Buffer.allocUnsafeSlow(size)
  spare.delete(size)
  return memory
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
 * Writes a piece whenever the previous one was sent. The first piece is the largest: each write wakes the client, and the most common
 * answers then need one. Each part is released as soon as it is written: a client that reads slowly or stops reading holds only the
 * rest of its answer in memory.
 *
 * @returns how many bytes are not written yet
 */
function endInPieces(outgoing: ServerResponse, { bytes, parts }: Answer): () => number {
  const rest = parts.toReversed()
  let left = bytes
  let most = FIRST_PIECE
  function write() {
    if (outgoing.destroyed) return
    // No small piece remains at the end.
    const size = left < 2 * most ? left : most
    left -= size
    most = PIECE
    outgoing.cork()
    for (const buffer of gathered(taken(rest, size))) outgoing.write(buffer)
    // The end uncorks too, so the last piece is one write.
    if (left === 0) {
      outgoing.end()
      return
    }
    outgoing.uncork()
    // A socket accepts less than one piece at a time, so a drain event always follows.
    if (outgoing.writableNeedDrain) outgoing.once('drain', goOn)
    else setImmediate(goOn)
  }
  /** Copying to the kernel takes time, so it waits while the time slice of the tick is over. */
  function goOn() {
    if (timeSlice.isOver()) void timeSlice.next().then(write)
    else write()
  }
  goOn()
  return () => left
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
 * The same bytes with small neighbours in one buffer: a copy of them costs less than a write each. Large parts are not copied.
 *
 * @param memory - for the copies, of at least so many bytes. @default new memory
 */
function gathered(parts: readonly (string | Buffer)[], memory?: Buffer): Buffer[] {
  const buffers: Buffer[] = []
  let small: (string | Buffer)[] = []
  let bytes = 0
  let used = 0
  const flush = () => {
    const out = memory?.subarray(used, (used += bytes))
    if (bytes > 0) buffers.push(answerBytes({ bytes, parts: small }, out))
    small = []
    bytes = 0
  }
  for (const part of parts)
    if (part.length < LARGE_PART) {
      small.push(part)
      bytes += typeof part === 'string' ? Buffer.byteLength(part) : part.length
    } else {
      flush()
      buffers.push(typeof part === 'string' ? Buffer.from(part) : part)
    }
  flush()
  return buffers
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

/** Bytes from which a part is written by itself. */
const LARGE_PART = 8 * 1024
