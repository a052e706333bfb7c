import { WORD } from './encode.ts'
import { HASH_END, type Item, type Page, type PageLog, storedBytes } from './reader.ts'
import { type ByteWriter, createByteWriter, reserve } from './varint.ts'

/**
 * Rows of eth_getLogs as the bytes of their JSON, made from pages without an object or string between. The members and
 * their order are those of `../log.ts`.
 */
export type RowWriter = {
  /** Adds the row of a log. */
  add(page: Page, block: number, log: PageLog): void
  /** Rows so far. */
  count(): number
  /** The block of each row, where it ends, and all rows with commas between. */
  take(): { blocks: Float64Array; ends: Uint32Array; bytes: Buffer }
}

/** @param size - bytes to begin with; it grows as needed. */
export function createRowWriter(size = 64 * 1024): RowWriter {
  const out = createByteWriter(size)
  const blocks: number[] = []
  const ends: number[] = []
  let current: Page | undefined
  let middle: Buffer = Buffer.alloc(0)

  return {
    add(page, block, log) {
      if (page !== current) {
        current = page
        middle = middleOf(page, block)
      }
      // Room for all but the data: names, hashes and four topics are below 900 bytes.
      reserve(out, 1_200 + middle.length + log.dataLength * 2)
      if (blocks.length > 0) out.bytes[out.length++] = COMMA
      put(out, ADDRESS)
      putItem(out, page.bytes, log.address)
      put(out, middle)
      putData(out, page.bytes, log)
      put(out, LOG_INDEX)
      putQuantity(out, log.index)
      put(out, TOPICS)
      for (const [index, topic] of log.topics.entries()) {
        put(out, index === 0 ? FIRST_TOPIC : NEXT_TOPIC)
        putItem(out, page.bytes, topic)
      }
      put(out, log.topics.length > 0 ? AFTER_TOPICS : AFTER_NO_TOPIC)
      putItem(out, page.bytes, log.transactionHash)
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

const COMMA = 44
const ADDRESS = Buffer.from('{"address":"0x')
const LOG_INDEX = Buffer.from('","logIndex":"0x')
const TOPICS = Buffer.from('","topics":[')
const FIRST_TOPIC = Buffer.from('"0x')
const NEXT_TOPIC = Buffer.from('","0x')
const AFTER_TOPICS = Buffer.from('"],"transactionHash":"0x')
const AFTER_NO_TOPIC = Buffer.from('],"transactionHash":"0x')
const TRANSACTION_INDEX = Buffer.from('","transactionIndex":"0x')
const END = Buffer.from('","removed":false}')

/** What all rows of a block share, between the address and the data. */
function middleOf({ bytes, timestamp }: Page, block: number): Buffer {
  const hash = bytes.toString('hex', 0, HASH_END)
  return Buffer.from(
    `","blockHash":"0x${hash}","blockNumber":"0x${block.toString(16)}","blockTimestamp":"0x${timestamp.toString(16)}","data":"0x`,
  )
}

function put(out: ByteWriter, bytes: Buffer): void {
  out.bytes.set(bytes, out.length)
  out.length += bytes.length
}

function putQuantity(out: ByteWriter, value: number): void {
  out.length += out.bytes.write(value.toString(16), out.length, 'latin1')
}

function putItem(out: ByteWriter, bytes: Buffer, { end, start, zeros }: Item): void {
  putZeros(out, zeros)
  putHex(out, bytes, start, end)
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
  out.bytes.fill(ZERO, out.length, out.length + count * 2)
  out.length += count * 2
}

function putHex(writer: ByteWriter, bytes: Buffer, start: number, end: number): void {
  const out = writer.bytes
  let at = writer.length
  for (let index = start; index < end; index++) {
    const byte = bytes[index] ?? 0
    out[at++] = DIGITS[byte >> 4] ?? 0
    out[at++] = DIGITS[byte & 15] ?? 0
  }
  writer.length = at
}

/** The characters of hex, and of zero. */
const DIGITS = Uint8Array.from(Buffer.from('0123456789abcdef'))
const ZERO = 48
