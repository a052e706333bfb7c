import type { BlockId } from '../../codec/blockRef.ts'
import { encodePage } from '../../codec/logPage/encode.ts'
import { type PlainLog, toPlainLogs } from '../../codec/logPage/plainLog.ts'
import { readPage } from '../../codec/logPage/reader.ts'
import { createRowWriter } from '../../codec/logPage/rowWriter.ts'
import { toHash } from '../../codec/quantity.ts'
import type { BlockOutline } from '../../native/wire/blockOutline.ts'
import type { TransactionLogs } from '../../native/wire/transactionLogs.ts'
import { emptyChunk, type LogChunk, packedChunk } from './logChunk.ts'
import { hashOfItem, type LogItem, type LogItems, type LogMatcher } from './logMatch.ts'

/** The logs of one block, without the rest of it, in about a fifth of the bytes of their rows. */
export type LogBlock = {
  readonly id: BlockId
  /** The matching logs, in block order. Only these become rows. */
  logs(matcher: LogMatcher): LogChunk
  /** Number of matching logs. */
  count(matcher: LogMatcher): number
  /** Estimated memory, in bytes. */
  readonly bytes: number
}

/** Packs the logs of a block. @param logs - the logs of all transactions of the block, in its order. */
export function createLogBlock(outline: BlockOutline, logs: readonly TransactionLogs[]): LogBlock {
  const { number = 0, timestamp = 0 } = outline.block_header.raw_data
  const id = { hash: toHash(outline.blockID), number }
  const plain = toPlainLogs(logs)
  if (plain.length === 0)
    return { bytes: BLOCK_BYTES, count: () => 0, id, logs: () => emptyChunk(number) }
  const head = { hash: outline.blockID, timestamp: Math.floor(timestamp / 1000) }
  // A copy, because the result of the encoder lies in a larger buffer.
  const bytes = Buffer.from(encodePage(head, plain))
  const items = createItems(plain)
  return {
    bytes: BLOCK_BYTES + bytes.length + items.bytes,
    id,
    count(matcher) {
      if (!matcher.mayMatch(items)) return 0
      const page = readPage(bytes)
      let count = 0
      page.each((log) => {
        if (matcher.matchesInPage(page, log)) count += 1
      })
      return count
    },
    logs(matcher) {
      if (!matcher.mayMatch(items)) return emptyChunk(number)
      const page = readPage(bytes)
      const rows = createRowWriter()
      page.each((log) => {
        if (matcher.matchesInPage(page, log)) rows.add(page, number, log)
      })
      if (rows.count() === 0) return emptyChunk(number)
      return packedChunk(rows.take(), 0, rows.count())
    },
  }
}

/** Memory of the closures, the ids and the cache entry of a block, in bytes. */
const BLOCK_BYTES = 600

/** Bits of the filter for each address or topic, and bits that each of them sets: about 1 % false positives. */
const BITS_PER_ITEM = 10
const PROBES = 4

/** A Bloom filter of the addresses and topics of some logs. */
function createItems(logs: readonly PlainLog[]): LogItems & { bytes: number } {
  const distinct = new Set<string>()
  for (const { address, topics } of logs) {
    distinct.add(address)
    for (const topic of topics) distinct.add(topic)
  }
  const size = 2 ** Math.max(5, Math.ceil(Math.log2(distinct.size * BITS_PER_ITEM)))
  const words = new Int32Array(size / 32)
  const each = (hash: number, visit: (word: number, bit: number) => boolean): boolean => {
    // An odd step, so that the probes differ.
    const step = (Math.imul(hash, 0x9e3779b1) | 1) >>> 0
    for (let probe = 0, at = hash; probe < PROBES; probe++, at += step)
      if (!visit((at % size) >>> 5, 1 << (at % 32))) return false
    return true
  }
  for (const item of distinct)
    each(hashOfItem(item, 0), (word, bit) => {
      words[word] = (words[word] ?? 0) | bit
      return true
    })
  return {
    bytes: words.byteLength,
    has: ({ hash }: LogItem) => each(hash, (word, bit) => ((words[word] ?? 0) & bit) !== 0),
  }
}
