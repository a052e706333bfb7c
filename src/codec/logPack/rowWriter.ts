import { WORD } from './encode.ts'
import {
  ADDRESS_BYTES,
  HASH_BYTES,
  HASH_END,
  type Item,
  type LogPack,
  type PackedLog,
  startOf,
  storedBytes,
  zerosOf,
} from './reader.ts'

/**
 * Writes rows of eth_getLogs as JSON bytes, directly from packs, without objects or strings. The members and their order
 * are those of `../log.ts`.
 */
export type RowWriter = ReturnType<typeof createRowWriter>

/** First bytes for rows. */
const FIRST_BYTES = 64 * 1024

/** Memory that is kept for later rows, because growing new memory takes a tenth of the time: two pieces, each enough for 10,000 rows. */
const spare: Text[] = []
const SPARES = 2
const SPARE_BYTES = 8 * 1024 * 1024

/** Bytes of a row without its data: names, hashes, four topics and numbers have less. */
const ROW_BYTES = 1_500

/** Creates a writer, whose memory grows. */
export function createRowWriter() {
  let out = EMPTY
  const blocks: number[] = []
  const ends: number[] = []
  let current: LogPack | undefined
  // Where the fields of the current pack's block are in the first row of the pack.
  let shared = 0
  let sharedEnd = 0

  return {
    /** Adds the row of a log. */
    add(pack: LogPack, block: number, log: PackedLog) {
      if (blocks.length === 0) {
        out = spare.pop() ?? textOf(FIRST_BYTES)
        out.length = 0
      }
      const needed = out.length + ROW_BYTES + log.dataLength * 2
      if (needed > out.bytes.length) grow(out, needed)
      if (blocks.length > 0) out.bytes[out.length++] = COMMA
      put(out, ADDRESS)
      putItem(out, pack.bytes, log.address, ADDRESS_BYTES)
      if (pack === current) {
        out.bytes.copyWithin(out.length, shared, sharedEnd)
        out.length += sharedEnd - shared
      } else {
        current = pack
        shared = out.length
        putBlock(out, pack, block)
        sharedEnd = out.length
      }
      putData(out, pack.bytes, log)
      put(out, LOG_INDEX)
      putQuantity(out, log.index)
      put(out, TOPICS)
      for (let topic = 0; topic < log.topicCount; topic++) {
        put(out, topic === 0 ? FIRST_TOPIC : NEXT_TOPIC)
        putItem(out, pack.bytes, log.topics[topic] as Item, HASH_BYTES)
      }
      put(out, log.topicCount > 0 ? AFTER_TOPICS : AFTER_NO_TOPIC)
      putItem(out, pack.bytes, log.transactionHash, HASH_BYTES)
      put(out, TRANSACTION_INDEX)
      putQuantity(out, log.transactionIndex)
      put(out, END)
      blocks.push(block)
      ends.push(out.length)
    },
    /** Number of rows so far. */
    count: () => blocks.length,
    /** The block of each row, the offset of its end, and all rows with commas between. Ends the writer. */
    take() {
      // Memory of its own, so that a thread can hand it over.
      const bytes = Buffer.allocUnsafeSlow(out.length)
      bytes.set(out.bytes.subarray(0, out.length))
      const isKept = blocks.length > 0 && out.bytes.length <= SPARE_BYTES
      if (isKept && spare.length < SPARES) spare.push(out)
      return { blocks: Float64Array.from(blocks), ends: Uint32Array.from(ends), bytes }
    },
  }
}

/** Text in memory. The view writes four characters at once. It is changed in place: objects of several shapes take twice the time. */
type Text = { bytes: Buffer; view: DataView; length: number }

function textOf(size: number): Text {
  const bytes = Buffer.allocUnsafeSlow(size)
  return { bytes, view: new DataView(bytes.buffer), length: 0 }
}

const EMPTY = textOf(0)

/** Moves text to larger memory. */
function grow(text: Text, needed: number): void {
  const { bytes, view } = textOf(Math.max(needed, text.bytes.length * 2))
  text.bytes.copy(bytes, 0, 0, text.length)
  text.bytes = bytes
  text.view = view
}

/** Fixed text as words of four characters. */
type Fixed = { words: Int32Array; length: number }

function fixed(text: string): Fixed {
  const bytes = Buffer.from(text.padEnd(Math.ceil(text.length / 4) * 4))
  const words = Int32Array.from({ length: bytes.length / 4 }, (_, word) =>
    bytes.readInt32LE(word * 4),
  )
  return { words, length: text.length }
}

const COMMA = 44
const ADDRESS = fixed('{"address":"0x')
const BLOCK_HASH = fixed('","blockHash":"0x')
const BLOCK_NUMBER = fixed('","blockNumber":"0x')
const BLOCK_TIMESTAMP = fixed('","blockTimestamp":"0x')
const DATA = fixed('","data":"0x')
const LOG_INDEX = fixed('","logIndex":"0x')
const TOPICS = fixed('","topics":[')
const FIRST_TOPIC = fixed('"0x')
const NEXT_TOPIC = fixed('","0x')
const AFTER_TOPICS = fixed('"],"transactionHash":"0x')
const AFTER_NO_TOPIC = fixed('],"transactionHash":"0x')
const TRANSACTION_INDEX = fixed('","transactionIndex":"0x')
const END = fixed('","removed":false}')

/** Writes the fields of the block, which all its rows share, between the address and the data. */
function putBlock(out: Text, { bytes, timestamp }: LogPack, block: number): void {
  put(out, BLOCK_HASH)
  putHex(out, bytes, 0, HASH_END)
  put(out, BLOCK_NUMBER)
  putQuantity(out, block)
  put(out, BLOCK_TIMESTAMP)
  putQuantity(out, timestamp)
  put(out, DATA)
}

/** Appends fixed text. Whole words are written; the next text overwrites the padding of the last word. */
function put(out: Text, { length, words }: Fixed): void {
  const { view } = out
  let at = out.length
  for (let word = 0; word < words.length; word++, at += 4)
    view.setInt32(at, words[word] as number, true)
  out.length += length
}

function putQuantity(out: Text, value: number): void {
  // Shifts keep 32 bits, and the remainder of larger numbers is a slow call.
  const high = Math.floor(value / 2 ** 32)
  if (high > 0) putDigits(out, high, digitsOf(high))
  putDigits(out, value >>> 0, high > 0 ? 8 : digitsOf(value))
}

function putDigits(out: Text, value: number, count: number): void {
  for (let shift = (count - 1) * 4; shift >= 0; shift -= 4)
    out.bytes[out.length++] = DIGITS[(value >>> shift) & 15] as number
}

/** Hex digits of a number below 2^32. */
function digitsOf(value: number): number {
  return Math.max(1, 8 - (Math.clz32(value) >>> 2))
}

function putItem(out: Text, bytes: Buffer, item: Item, length: number): void {
  const zeros = zerosOf(item)
  const start = startOf(item)
  putZeros(out, zeros)
  putHex(out, bytes, start, start + length - zeros)
}

function putData(out: Text, bytes: Buffer, { dataLength, dataStart }: PackedLog): void {
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

/** Appends zero bytes, two characters each. */
function putZeros(out: Text, count: number): void {
  const { view } = out
  const end = out.length + count * 2
  for (let at = out.length; at < end; at += 4) view.setInt32(at, FOUR_ZEROS, true)
  out.length = end
}

function putHex(out: Text, bytes: Buffer, start: number, end: number): void {
  const { view } = out
  let at = out.length
  let from = start
  for (; from + 1 < end; from += 2, at += 4) {
    const first = PAIRS[bytes[from] as number] as number
    view.setInt32(at, first | ((PAIRS[bytes[from + 1] as number] as number) << 16), true)
  }
  if (from < end) view.setInt16(at, PAIRS[bytes[from] as number] as number, true)
  out.length += (end - start) * 2
}

/** The characters of hex digits, and those of each byte as one number. */
const DIGITS = Uint8Array.from(Buffer.from('0123456789abcdef'))
const PAIRS = Uint16Array.from(
  { length: 256 },
  (_, byte) => (DIGITS[byte >> 4] as number) | ((DIGITS[byte & 15] as number) << 8),
)
const FOUR_ZEROS = 0x30303030
