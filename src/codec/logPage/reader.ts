import { FIRST_NAME, NAMES, WORD } from './encode.ts'
import { type ByteReader, readVarint } from './varint.ts'

/** Bytes of a page: `zeros` zero bytes, then those from `start` to `end`. */
export type Item = { zeros: number; start: number; end: number }

/** One log of a page, where its parts are. The reader moves it along, so nobody keeps it. */
export type PageLog = {
  index: number
  transactionIndex: number
  transactionHash: Item
  address: Item
  topics: Item[]
  /** Bytes of the data as it was, and where its words begin. */
  dataLength: number
  dataStart: number
}

/** A page that was read. */
export type Page = {
  bytes: Buffer
  /** Seconds. */
  timestamp: number
  /** Calls back for each log, in order. */
  each(visit: (log: PageLog) => void): void
}

/** Where the hash of the block ends. */
export const HASH_END = 32

const HASH_BYTES = 32
const ADDRESS_BYTES = 20

/** Opens a page that `encodePage` wrote. */
export function readPage(bytes: Buffer): Page {
  const head: ByteReader = { bytes, at: HASH_END }
  const timestamp = readVarint(head)
  const count = readVarint(head)
  const start = head.at
  return {
    bytes,
    timestamp,
    each(visit) {
      const reader: ByteReader = { bytes, at: start }
      const items: Item[] = []
      const log: PageLog = {
        index: -1,
        transactionIndex: 0,
        transactionHash: NOTHING,
        address: NOTHING,
        topics: [],
        dataLength: 0,
        dataStart: 0,
      }
      for (let left = count; left > 0; left--) {
        log.index += readVarint(reader) + 1
        log.transactionIndex = readVarint(reader)
        log.transactionHash = readItem(reader, items, HASH_BYTES)
        log.address = readItem(reader, items, ADDRESS_BYTES)
        log.topics.length = bytes[reader.at++] ?? 0
        for (let topic = 0; topic < log.topics.length; topic++)
          log.topics[topic] = readItem(reader, items, HASH_BYTES)
        log.dataLength = readVarint(reader)
        log.dataStart = reader.at
        reader.at = endOfData(bytes, reader.at, log.dataLength)
        visit(log)
      }
    },
  }
}

const NOTHING: Item = { zeros: 0, start: 0, end: 0 }

/** The bytes of an item without its leading zeros, as a string that can be compared. */
export function textOf(bytes: Buffer, { end, start }: Item): string {
  return bytes.toString('latin1', start, end)
}

/** Hex as `textOf` spells the item that it became. */
export function textOfHex(hex: string): string {
  return Buffer.from(hex.replace(/^(?:00)+/, ''), 'hex').toString('latin1')
}

function readItem(reader: ByteReader, items: Item[], length: number): Item {
  const first = reader.bytes[reader.at++] ?? 0
  if (first >= FIRST_NAME) return items[first - FIRST_NAME] ?? NOTHING
  const item = { zeros: first, start: reader.at, end: reader.at + length - first }
  reader.at = item.end
  if (items.length < NAMES) items.push(item)
  return item
}

function endOfData(bytes: Buffer, start: number, length: number): number {
  let at = start
  for (let left = length; left > 0; left -= WORD) {
    if (left < WORD) return at + left
    at += 1 + storedBytes(bytes[at] ?? 0)
  }
  return at
}

/** Bytes of a word that follow its first byte. */
export function storedBytes(first: number): number {
  return first <= WORD ? WORD - first : 2 * WORD - first
}
