import { FIRST_NAME, NAMES, WORD } from './encode.ts'
import { type ByteReader, readVarint } from './varint.ts'

/**
 * An address, hash or topic of a pack: the offset of its bytes and the number of omitted zero bytes, in one number. A
 * search reads millions of items, and objects would cost more than the rest of it.
 */
export type Item = number

const ZEROS_BITS = 6
const ZEROS = 2 ** ZEROS_BITS - 1

/** Number of omitted leading zero bytes. */
export const zerosOf = (item: Item): number => item & ZEROS

/** Offset of the other bytes. It can be up to 64 MB, far more than the size of a pack. */
export const startOf = (item: Item): number => item >>> ZEROS_BITS

/** The position of one log and its parts in a pack. The reader reuses it for the next log, so do not keep it. */
export type PackedLog = {
  index: number
  transactionIndex: number
  transactionHash: Item
  address: Item
  /** The first `topicCount` elements are the topics. Later elements are outdated. */
  topics: Item[]
  topicCount: number
  /** Length of the decoded data, and offset of its encoded words. */
  dataLength: number
  dataStart: number
}

/** A pack of logs. */
export type LogPack = {
  bytes: Buffer
  /** Seconds. */
  timestamp: number
  /** Calls back for each log, in order. @param last - index of the last log to read. */
  each(visit: (log: PackedLog) => void, last?: number): void
}

/** Offset of the end of the block's hash. */
export const HASH_END = 32

/** Bytes of a hash. */
export const HASH_BYTES = 32

/** Bytes of an address. */
export const ADDRESS_BYTES = 20

/** Opens a pack that `encodePack` wrote. */
export function readPack(bytes: Buffer): LogPack {
  const head: ByteReader = { bytes, at: HASH_END }
  const timestamp = readVarint(head)
  const count = readVarint(head)
  const start = head.at
  return {
    bytes,
    timestamp,
    each(visit, last = Infinity) {
      const reader: ByteReader = { bytes, at: start }
      const items: Item[] = []
      const log: PackedLog = {
        index: -1,
        transactionIndex: 0,
        transactionHash: NOTHING,
        address: NOTHING,
        topics: [NOTHING, NOTHING, NOTHING, NOTHING],
        topicCount: 0,
        dataLength: 0,
        dataStart: 0,
      }
      for (let left = count; left > 0 && log.index < last; left--) {
        log.index += readVarint(reader) + 1
        log.transactionIndex = readVarint(reader)
        log.transactionHash = readItem(reader, items, HASH_BYTES)
        log.address = readItem(reader, items, ADDRESS_BYTES)
        log.topicCount = bytes[reader.at++] ?? 0
        for (let topic = 0; topic < log.topicCount; topic++)
          log.topics[topic] = readItem(reader, items, HASH_BYTES)
        log.dataLength = readVarint(reader)
        log.dataStart = reader.at
        reader.at = endOfData(bytes, reader.at, log.dataLength)
        visit(log)
      }
    },
  }
}

const NOTHING: Item = 0

/** The bytes of an item without its leading zeros, as a comparable string. @param length - `HASH_BYTES` or `ADDRESS_BYTES` */
export function textOf(bytes: Buffer, item: Item, length: number): string {
  const start = startOf(item)
  return bytes.toString('latin1', start, start + length - zerosOf(item))
}

/** The result of `textOf` for an item with this hex. */
export function textOfHex(hex: string): string {
  return Buffer.from(hex.replace(/^(?:00)+/, ''), 'hex').toString('latin1')
}

function readItem(reader: ByteReader, items: Item[], length: number): Item {
  const first = reader.bytes[reader.at++] ?? 0
  if (first >= FIRST_NAME) return items[first - FIRST_NAME] ?? NOTHING
  const item = (reader.at << ZEROS_BITS) | first
  reader.at += length - first
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

/** Number of bytes of a word after its first byte. */
export function storedBytes(first: number): number {
  return first <= WORD ? WORD - first : 2 * WORD - first
}
