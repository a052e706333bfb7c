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
import { type ByteWriter, createByteWriter, reserve } from './varint.ts'

/**
 * Writes rows of eth_getLogs as JSON bytes, directly from pages, without objects or strings. The members and their order
 * are those of `../log.ts`.
 */
export type RowWriter = {
  /** Adds the row of a log. */
  add(page: Page, block: number, log: PageLog): void
  /** Number of rows so far. */
  count(): number
  /** The block of each row, the offset of its end, and all rows with commas between. */
  take(): { blocks: Float64Array; ends: Uint32Array; bytes: Buffer }
}

/** Creates a writer. @param size - initial bytes of its buffer, which grows. */
export function createRowWriter(size = 64 * 1024): RowWriter {
  const out = createByteWriter(size)
  const blocks: number[] = []
  const ends: number[] = []
  let current: Page | undefined
  const middle = createByteWriter(MIDDLE_BYTES)

  return {
    add(page, block, log) {
      if (page !== current) {
        current = page
        middle.length = 0
        putMiddle(middle, page, block)
      }
      // Space for all fields but the data: names, hashes and four topics have less than 900 bytes.
      reserve(out, 1_200 + middle.length + log.dataLength * 2)
      if (blocks.length > 0) out.bytes[out.length++] = COMMA
      put(out, ADDRESS)
      putItem(out, page.bytes, log.address, ADDRESS_BYTES)
      middle.bytes.copy(out.bytes, out.length, 0, middle.length)
      out.length += middle.length
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
    take: () => ({
      blocks: Float64Array.from(blocks),
      ends: Uint32Array.from(ends),
      bytes: out.bytes.subarray(0, out.length),
    }),
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
  let digits = 1
  for (let rest = value; rest >= 16; rest = Math.floor(rest / 16)) digits += 1
  for (let at = out.length + digits - 1, rest = value; at >= out.length; at--) {
    out.bytes[at] = DIGITS[rest % 16] as number
    rest = Math.floor(rest / 16)
  }
  out.length += digits
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
