import type { BlockId } from '../../codec/blockRef.ts'
import { encodePack } from '../../codec/logPack/encode.ts'
import type { PackMatcher } from '../../codec/logPack/match.ts'
import { type PlainLog, toPlainLogs } from '../../codec/logPack/plainLog.ts'
import { readPack } from '../../codec/logPack/reader.ts'
import { createRowWriter } from '../../codec/logPack/rowWriter.ts'
import { toHash } from '../../codec/quantity.ts'
import { ownBytes } from '../../lib/ownBytes.ts'
import type { Block, TransactionInfo } from '../../native/wire/types.ts'
import { emptyChunk, type LogChunk, packedChunk } from './logChunk.ts'
import { hashOfItem, type LogItems, type LogMatcher } from './logMatch.ts'

/** The logs of one block, without the rest of it, in about a fifth of the bytes of their rows. */
export type LogBlock = ReturnType<typeof createLogBlock>

/** The fields of a block that its logs need. */
type LogHead = Pick<Block, 'blockID' | 'block_header'>

/** Packs the logs of a block. @param infos - the outcomes of all transactions of the block, in its order. */
export function createLogBlock(
  { blockID, block_header }: LogHead,
  infos: readonly Pick<TransactionInfo, 'id' | 'log'>[],
) {
  const { number = 0, timestamp = 0 } = block_header.raw_data
  const id = { hash: toHash(blockID), number }
  const logs = toPlainLogs(infos)
  if (logs.length === 0)
    return { bytes: BLOCK_BYTES, count: () => 0, id, logs: () => emptyChunk(number) }
  // A copy, because the result of the encoder lies in a larger buffer.
  const bytes = ownBytes(
    encodePack({ hash: blockID, timestamp: Math.floor(timestamp / 1000) }, logs),
  )
  const items = createItems(logs)
  return {
    /** Estimated memory, in bytes. */
    bytes: BLOCK_BYTES + PACKED_BYTES + bytes.length + items.bytes,
    id,
    /** Number of matching logs. */
    count(matcher: LogMatcher) {
      if (!matcher.mayMatch(items)) return 0
      const pack = readPack(bytes)
      let count = 0
      pack.each((log) => {
        if (matcher.matchesInPack(pack, log)) count += 1
      })
      return count
    },
    /** The matching logs, in block order. Only these become rows. @param after - index in the block; only later logs match */
    logs(matcher: LogMatcher, after: number = -1) {
      if (!matcher.mayMatch(items)) return emptyChunk(number)
      return rowsOfPack(
        bytes,
        number,
        (pack, log) => log.index > after && matcher.matchesInPack(pack, log),
      )
    },
  }
}

/** The rows of some logs of one block. @param timestamp - in milliseconds */
export function rowsOfLogs(
  { hash, number, timestamp }: BlockId & { timestamp: number },
  logs: readonly PlainLog[],
): LogChunk {
  const head = { hash: hash.slice(2), timestamp: Math.floor(timestamp / 1000) }
  return logs.length === 0 ? emptyChunk(number) : rowsOfPack(encodePack(head, logs), number)
}

function rowsOfPack(bytes: Buffer, number: number, matches: PackMatcher = () => true): LogChunk {
  const pack = readPack(bytes)
  const rows = createRowWriter()
  pack.each((log) => {
    if (matches(pack, log)) rows.add(pack, number, log)
  })
  return rows.count() === 0 ? emptyChunk(number) : packedChunk(rows.take(), 0, rows.count())
}

/** Memory of the closures, the ids and the cache entry of a block, and of its two buffers besides their content, in bytes. */
const BLOCK_BYTES = 600
const PACKED_BYTES = 400

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
    has: (hash) => each(hash, (word, bit) => ((words[word] ?? 0) & bit) !== 0),
  }
}
