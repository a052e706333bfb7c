import type { ServerResponse } from 'node:http'

import { type Answer, answerBytes } from '../jsonrpc/answer.ts'
import { timeSlice } from '../lib/timeSlice.ts'
import { COUNTED, type Unsent } from './unsent.ts'

/**
 * Writes the body of a response whose headers are set. A large one is written as fast as the client reads, so that one tick
 * of the event loop copies little of it. A client that reads nothing is disconnected.
 */
export function sendAnswer(outgoing: ServerResponse, answer: Answer, unsent: Unsent): void {
  const { bytes } = answer
  if (bytes > LARGE) {
    const unwritten = endInPieces(outgoing, answer)
    watch(outgoing, bytes, unwritten, unsent)
  } else {
    endAtOnce(outgoing, answer)
    if (bytes > COUNTED) watch(outgoing, bytes, () => 0, unsent)
  }
}

function endAtOnce(outgoing: ServerResponse, answer: Answer): void {
  const { bytes, parts } = answer
  const last = parts.length - 1
  if (last === 0) outgoing.end(parts[0])
  else if (bytes <= TEXT_LIMIT) endAsText(outgoing, answer)
  else if (last > MANY_PARTS) outgoing.end(answerBytes(answer))
  else parts.forEach((part, index) => (index === last ? outgoing.end(part) : outgoing.write(part)))
}

/** Sends the parts as one text. With latin1 for reading and writing, no byte changes. */
function endAsText(outgoing: ServerResponse, answer: Answer): void {
  const text = answer.parts
    .map((part) => (typeof part === 'string' ? part : part.toString('latin1')))
    .join('')
  // Non-ASCII text, which only an id can contain, has fewer characters than bytes.
  if (text.length === answer.bytes) outgoing.end(text, 'latin1')
  else outgoing.end(answerBytes(answer))
}

/** Writes a piece whenever the previous one was sent. @returns how many bytes are not written yet */
function endInPieces(outgoing: ServerResponse, { bytes, parts }: Answer): () => number {
  let left = bytes
  const pieces = piecesOf(parts)
  function write() {
    if (outgoing.destroyed) return
    const { done, value } = pieces.next()
    if (done) {
      outgoing.end()
      return
    }
    outgoing.cork()
    for (const buffer of value) {
      left -= buffer.length
      outgoing.write(buffer)
    }
    outgoing.uncork()
    // A socket accepts less than one piece at a time, so a drain event always follows.
    if (outgoing.writableNeedDrain) outgoing.once('drain', goOn)
    else setImmediate(goOn)
  }
  /** Copying to the kernel takes time, so even a fast client gets one piece per event loop tick. */
  function goOn() {
    if (timeSlice.isOver()) void timeSlice.next().then(write)
    else write()
  }
  goOn()
  return () => left
}

/**
 * The bytes of an answer in order, about `PIECE` at a time. Each part is released as soon as it is written: a client that
 * reads slowly or stops reading holds only the rest of its answer in memory.
 */
function* piecesOf(parts: Answer['parts']): Generator<Buffer[]> {
  const rest = parts.toReversed()
  let piece: Buffer[] = []
  let size = 0
  for (let part = rest.pop(); part !== undefined; part = rest.pop()) {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part
    for (let at = 0; at < bytes.length;) {
      const taken = bytes.subarray(at, at + PIECE - size)
      at += taken.length
      size += taken.length
      piece.push(taken)
      if (size < PIECE) continue
      yield joined(piece)
      piece = []
      size = 0
    }
  }
  if (size > 0) yield joined(piece)
}

/** Many small buffers as one: a copy costs less than a write each. */
function joined(buffers: Buffer[]): Buffer[] {
  return buffers.length > MANY_PARTS ? [Buffer.concat(buffers)] : buffers
}

function watch(outgoing: ServerResponse, bytes: number, unwritten: () => number, unsent: Unsent) {
  const left = () => (outgoing.closed ? 0 : unwritten() + outgoing.writableLength)
  unsent.watch({ cut: () => outgoing.destroy(), taken: () => bytes - left(), unsent: left })
}

/**
 * Bytes up to which the parts are joined to one text, which node sends together with the headers. Above, copying costs
 * more.
 */
const TEXT_LIMIT = 4_095

/** Bytes from which an answer is written in pieces. */
const LARGE = 1024 * 1024

/** Bytes of one piece: 0.1 ms to copy. */
const PIECE = 256 * 1024

/** Number of buffers from which one copy costs less than separate writes. */
const MANY_PARTS = 16
