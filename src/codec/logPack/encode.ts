import type { Hex } from '../../native/wire/types.ts'
import type { PlainLog } from './plainLog.ts'
import {
  type ByteWriter,
  createByteWriter,
  reserve,
  writeByte,
  writeVarint,
  written,
} from './varint.ts'

/**
 * Encodes logs of one block as compact bytes: each hash and address once in a pack, without zero bytes.
 *
 *   hash (32)  seconds  count  then for each log:
 *   index − the one before − 1  transaction index  transaction hash  address  topics (count, each)  data (length, words)
 *
 * A hash, an address or a topic is an item. It begins with a byte: up to 32 it is the number of omitted leading zero bytes
 * before the rest, from 64 on it is the index of an earlier item of the pack. A word of data begins with a byte up to 32
 * (number of omitted leading zero bytes) or from 33 to 63 (number of omitted trailing ones, plus 32).
 */
export function encodePack(
  { hash, timestamp }: { hash: Hex; timestamp: number },
  logs: readonly PlainLog[],
): Buffer {
  const writer = createByteWriter(64 + logs.length * 160)
  writer.length = writer.bytes.write(hash, 0, 'hex')
  writeVarint(writer, timestamp)
  writeVarint(writer, logs.length)
  const known = new Map<string, number>()
  const item = (hex: string) => writeItem(writer, hex, known)
  let before = -1
  for (const { address, data, index, topics, transactionHash, transactionIndex } of logs) {
    writeVarint(writer, index - before - 1)
    before = index
    writeVarint(writer, transactionIndex)
    item(transactionHash)
    item(address)
    writeByte(writer, topics.length)
    for (const topic of topics) item(topic)
    writeData(writer, data)
  }
  return Buffer.from(written(writer))
}

/** The first byte that is the index of an item. Lower bytes are counts of zeros. */
export const FIRST_NAME = 64
/** Number of items that a byte can name. */
export const NAMES = 256 - FIRST_NAME
/** Bytes of a word of data. */
export const WORD = 32

/** The shared buffer of `bytesOf`. It grows as needed. */
let scratch = Buffer.alloc(WORD)

/** Decodes hex into a shared buffer, which is valid until the next call. */
function bytesOf(hex: string): Buffer {
  const length = hex.length / 2
  if (scratch.length < length) scratch = Buffer.alloc(length * 2)
  scratch.write(hex, 0, 'hex')
  return scratch
}

function writeItem(writer: ByteWriter, hex: string, known: Map<string, number>): void {
  const name = known.get(hex)
  if (name !== undefined) {
    writeByte(writer, FIRST_NAME + name)
    return
  }
  if (known.size < NAMES) known.set(hex, known.size)
  const length = hex.length / 2
  const bytes = bytesOf(hex)
  const zeros = leadingZeros(bytes, 0, length)
  writeByte(writer, zeros)
  writeBytes(writer, bytes, zeros, length)
}

function writeData(writer: ByteWriter, data: string): void {
  const length = data.length / 2
  writeVarint(writer, length)
  if (length === 0) return
  const bytes = bytesOf(data)
  let at = 0
  for (; at + WORD <= length; at += WORD) {
    const end = at + WORD
    const leading = leadingZeros(bytes, at, end)
    const trailing = leading === WORD ? 0 : trailingZeros(bytes, at, end)
    if (trailing > leading) {
      writeByte(writer, WORD + trailing)
      writeBytes(writer, bytes, at, end - trailing)
    } else {
      writeByte(writer, leading)
      writeBytes(writer, bytes, at + leading, end)
    }
  }
  writeBytes(writer, bytes, at, length)
}

function writeBytes(writer: ByteWriter, from: Buffer, start: number, end: number): void {
  reserve(writer, end - start)
  const to = writer.bytes
  let { length } = writer
  // For so few bytes a loop is cheaper than a call to copy.
  for (let at = start; at < end; at++) to[length++] = from[at] as number
  writer.length = length
}

/** Number of leading zero bytes. */
function leadingZeros(bytes: Buffer, start: number, end: number): number {
  let at = start
  while (at < end && bytes[at] === 0) at += 1
  return at - start
}

/** Number of trailing zero bytes. */
function trailingZeros(bytes: Buffer, start: number, end: number): number {
  let at = end
  while (at > start && bytes[at - 1] === 0) at -= 1
  return end - at
}
