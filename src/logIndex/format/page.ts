import type { Entry } from '../engine/engine.ts'
import type { IndexBlock, IndexLog } from './block.ts'
import { pageKey } from './keys.ts'
import {
  type ByteWriter,
  createByteWriter,
  reserve,
  writeByte,
  writeVarint,
  written,
} from './varint.ts'

/**
 * Logs of one block as bytes, compact: hashes and addresses once a page, zeros left out.
 *
 *   hash (32)  seconds  count  then for each log:
 *   index − the one before − 1  transaction index  transaction hash  address  topics (count, each)  data (length, words)
 *
 * A hash, an address or a topic is an item: a byte up to 32 says how many leading zero bytes are left out before the rest,
 * one from 64 on names an item that this page spelled out before. A word of data begins with a byte up to 32 (leading zero
 * bytes left out) or from 33 to 63 (trailing ones, plus 32).
 */
function encodePage(
  { hash, timestamp }: Pick<IndexBlock, 'hash' | 'timestamp'>,
  logs: readonly IndexLog[],
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

/** The pages of a block with their keys: page n has the logs from n × `logsPerPage` on. */
export function pagesOf(block: IndexBlock, logsPerPage: number): Entry[] {
  const { logs, number } = block
  const pages: Entry[] = []
  const pageAt = (at: number) => Math.floor((logs[at]?.index ?? Infinity) / logsPerPage)
  for (let at = 0; at < logs.length;) {
    const page = pageAt(at)
    let end = at + 1
    while (pageAt(end) === page) end += 1
    pages.push({ key: pageKey(number, page), value: encodePage(block, logs.slice(at, end)) })
    at = end
  }
  return pages
}

/** The first item that a byte names: below are counts of zeros. */
export const FIRST_NAME = 64
/** Items that a byte can name. */
export const NAMES = 256 - FIRST_NAME
/** Bytes of a word of data. */
export const WORD = 32

function writeItem(writer: ByteWriter, hex: string, known: Map<string, number>): void {
  const name = known.get(hex)
  if (name !== undefined) {
    writeByte(writer, FIRST_NAME + name)
    return
  }
  if (known.size < NAMES) known.set(hex, known.size)
  const zeros = leadingZeros(hex)
  writeByte(writer, zeros)
  writeHex(writer, hex, zeros * 2, hex.length)
}

function writeData(writer: ByteWriter, data: string): void {
  const bytes = data.length / 2
  writeVarint(writer, bytes)
  const words = Math.floor(bytes / WORD)
  for (let word = 0; word < words; word++) {
    const start = word * WORD * 2
    const text = data.slice(start, start + WORD * 2)
    const leading = leadingZeros(text)
    const trailing = leading === WORD ? 0 : trailingZeros(text)
    if (trailing > leading) {
      writeByte(writer, WORD + trailing)
      writeHex(writer, text, 0, (WORD - trailing) * 2)
    } else {
      writeByte(writer, leading)
      writeHex(writer, text, leading * 2, WORD * 2)
    }
  }
  writeHex(writer, data, words * WORD * 2, data.length)
}

function writeHex(writer: ByteWriter, hex: string, from: number, to: number): void {
  if (from === to) return
  reserve(writer, (to - from) / 2)
  writer.length += writer.bytes.write(hex.slice(from, to), writer.length, 'hex')
}

/** Zero bytes that hex begins with. */
function leadingZeros(hex: string): number {
  let at = 0
  while (at < hex.length && hex.charCodeAt(at) === ZERO && hex.charCodeAt(at + 1) === ZERO) at += 2
  return at / 2
}

/** Zero bytes that hex ends with. */
function trailingZeros(hex: string): number {
  let at = hex.length
  while (at > 0 && hex.charCodeAt(at - 1) === ZERO && hex.charCodeAt(at - 2) === ZERO) at -= 2
  return (hex.length - at) / 2
}

/** The character 0. */
const ZERO = 48
