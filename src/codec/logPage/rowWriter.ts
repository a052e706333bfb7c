import { WORD } from './encode.ts'
import {
  ADDRESS_BYTES,
  HASH_BYTES,
  HASH_END,
  type Item,
  type Page,
  type PageLog,
  startOf,
  storedBytes,
  zerosOf,
} from './reader.ts'
import { type ByteWriter, createByteWriter, reserve, written } from './varint.ts'

/**
 * Writes rows of eth_getLogs as JSON bytes, directly from pages, without objects or strings. The members and their order
 * are those of `../log.ts`.
 */
export type RowWriter = {
  /** Adds the row of a log. */
  add(page: Page, block: number, log: PageLog): void
  /** Number of rows so far. */
  count(): number
  /** The block of each row, the offset of its end, and all rows with commas between. Ends the writer. */
  take(): { blocks: Float64Array; ends: Uint32Array; bytes: Buffer }
}

/** First bytes for rows. */
const FIRST_BYTES = 64 * 1024

/** Memory that is kept for later rows, because growing new memory takes a tenth of the time: two pieces, each enough for 10,000 rows. */
const spare: Buffer[] = []
const SPARES = 2
const SPARE_BYTES = 8 * 1024 * 1024

/** Creates a writer, whose memory grows. */
export function createRowWriter(): RowWriter {
  const out = createByteWriter(0)
  const blocks: number[] = []
  const ends: number[] = []
  let current: Page | undefined
  const middle = createByteWriter(MIDDLE_BYTES)
  let shared = written(middle)

  return {
    add(page, block, log) {
      if (blocks.length === 0) out.bytes = spare.pop() ?? Buffer.allocUnsafe(FIRST_BYTES)
      if (page !== current) {
        current = page
        middle.length = 0
        putMiddle(middle, page, block)
        shared = written(middle)
      }
      // Space for all fields but the data: names, hashes and four topics have less than 900 bytes.
      reserve(out, 1_200 + middle.length + log.dataLength * 2)
      if (blocks.length > 0) out.bytes[out.length++] = COMMA
      put(out, ADDRESS)
      putItem(out, page.bytes, log.address, ADDRESS_BYTES)
      out.bytes.set(shared, out.length)
      out.length += shared.length
      putData(out, page.bytes, log)
      put(out, LOG_INDEX)
      putQuantity(out, log.index)
      put(out, TOPICS)
      for (let topic = 0; topic < log.topicCount; topic++) {
        put(out, topic === 0 ? FIRST_TOPIC : NEXT_TOPIC)
        putItem(out, page.bytes, log.topics[topic] as Item, HASH_BYTES)
      }
      put(out, log.topicCount > 0 ? AFTER_TOPICS : AFTER_NO_TOPIC)
      putItem(out, page.bytes, log.transactionHash, HASH_BYTES)
      put(out, TRANSACTION_INDEX)
      putQuantity(out, log.transactionIndex)
      put(out, END)
      blocks.push(block)
      ends.push(out.length)
    },
    count: () => blocks.length,
    take() {
      // Memory of its own, so that a thread can hand it over.
      const bytes = Buffer.allocUnsafeSlow(out.length)
      bytes.set(written(out))
      const isKept = blocks.length > 0 && out.bytes.length <= SPARE_BYTES
      if (isKept && spare.length < SPARES) spare.push(out.bytes)
      return { blocks: Float64Array.from(blocks), ends: Uint32Array.from(ends), bytes }
    },
  }
}

/** Bytes for the fields of a block. A hash, two numbers below 2^53 and their names need less. */
const MIDDLE_BYTES = 256

const COMMA = 44
const ADDRESS = Buffer.from('{"address":"0x')
const BLOCK_HASH = Buffer.from('","blockHash":"0x')
const BLOCK_NUMBER = Buffer.from('","blockNumber":"0x')
const BLOCK_TIMESTAMP = Buffer.from('","blockTimestamp":"0x')
const DATA = Buffer.from('","data":"0x')
const LOG_INDEX = Buffer.from('","logIndex":"0x')
const TOPICS = Buffer.from('","topics":[')
const FIRST_TOPIC = Buffer.from('"0x')
const NEXT_TOPIC = Buffer.from('","0x')
const AFTER_TOPICS = Buffer.from('"],"transactionHash":"0x')
const AFTER_NO_TOPIC = Buffer.from('],"transactionHash":"0x')
const TRANSACTION_INDEX = Buffer.from('","transactionIndex":"0x')
const END = Buffer.from('","removed":false}')

/** Writes the fields of the block, which all its rows share, between the address and the data. */
function putMiddle(out: ByteWriter, { bytes, timestamp }: Page, block: number): void {
  put(out, BLOCK_HASH)
  putHex(out, bytes, 0, HASH_END)
  put(out, BLOCK_NUMBER)
  putQuantity(out, block)
  put(out, BLOCK_TIMESTAMP)
  putQuantity(out, timestamp)
  put(out, DATA)
}

/** Appends a few bytes. For so few a loop is cheaper than a call to copy. */
function put(out: ByteWriter, from: Buffer): void {
  const to = out.bytes
  let { length } = out
  for (let at = 0; at < from.length; at++) to[length++] = from[at] as number
  out.length = length
}

function putQuantity(out: ByteWriter, value: number): void {
  // Shifts keep 32 bits, and the remainder of larger numbers is a slow call.
  const high = Math.floor(value / 2 ** 32)
  if (high > 0) putDigits(out, high, digitsOf(high))
  putDigits(out, value >>> 0, high > 0 ? 8 : digitsOf(value))
}

function putDigits(out: ByteWriter, value: number, count: number): void {
  for (let shift = (count - 1) * 4; shift >= 0; shift -= 4)
    out.bytes[out.length++] = DIGITS[(value >>> shift) & 15] as number
}

/** Hex digits of a number below 2^32. */
function digitsOf(value: number): number {
  return Math.max(1, 8 - (Math.clz32(value) >>> 2))
}

function putItem(out: ByteWriter, bytes: Buffer, item: Item, length: number): void {
  const zeros = zerosOf(item)
  const start = startOf(item)
  putZeros(out, zeros)
  putHex(out, bytes, start, start + length - zeros)
}

function putData(out: ByteWriter, bytes: Buffer, { dataLength, dataStart }: PageLog): void {
  let at = dataStart
  let left = dataLength
  for (; left >= WORD; left -= WORD) {
    const first = bytes[at] ?? 0
    const stored = storedBytes(first)
    if (first <= WORD) putZeros(out, first)
    putHex(out, bytes, at + 1, at + 1 + stored)
    if (first > WORD) putZeros(out, first - WORD)
    at += 1 + stored
  }
  putHex(out, bytes, at, at + left)
}

function putZeros(out: ByteWriter, count: number): void {
  const to = out.bytes
  const end = out.length + count * 2
  // A loop is faster for few.
  if (count > FEW) to.fill(ZERO, out.length, end)
  else for (let at = out.length; at < end; at++) to[at] = ZERO
  out.length = end
}

function putHex(writer: ByteWriter, bytes: Buffer, start: number, end: number): void {
  const out = writer.bytes
  let at = writer.length
  for (let index = start; index < end; index++) {
    const byte = bytes[index] as number
    out[at] = HIGH[byte] as number
    out[at + 1] = LOW[byte] as number
    at += 2
  }
  writer.length = at
}

/** The characters of hex digits, of zero, and of the two halves of each byte, because a lookup is faster than shifts. */
const DIGITS = Uint8Array.from(Buffer.from('0123456789abcdef'))
const ZERO = 48
const FEW = 8
const HIGH = Uint8Array.from({ length: 256 }, (_, byte) => DIGITS[byte >> 4] as number)
const LOW = Uint8Array.from({ length: 256 }, (_, byte) => DIGITS[byte & 15] as number)
