import type { BlockRange } from '../../chain/reads/blockRange.ts'
import type { Concerned } from '../../codec/accounts.ts'
import type { PlainLog } from '../../codec/logPack/plainLog.ts'
import {
  type ByteReader,
  type ByteWriter,
  createByteWriter,
  readVarint,
  reserve,
  writeVarint,
  written,
} from '../../codec/logPack/varint.ts'
import {
  byAccount,
  byAddress,
  byAddressAndTopic,
  byCount,
  byCreated,
  byTopic,
  type Hasher,
} from './keys.ts'

/**
 * A posting list has the places of a value within a segment, in order. For each log: when its block differs from the one
 * before, `blocks further × 2 + 1` and its index; else `indices further × 2`. The first counts from the block before the segment.
 */

/** A log's place as one number that sorts: block × 2^20 + index. */
export const INDICES = 2 ** 20

/**
 * In a list of an account, the index is that of the transaction × 32 + the sum of its kinds. A block has 2 MB at most, and a
 * transaction more than 100 bytes, so fewer than 32,768 transactions.
 */
export const KIND_BITS = 32

/**
 * Collects the lists of one segment. A log is found by its address, its address with its first topic, each topic at its place, and
 * how many topics it has; a transaction by each account that it concerns and each contract that it created.
 */
export function createPostingsBuilder(hash: Hasher) {
  const open = new Map<string, OpenList>()
  // Most values occur often. Here their lists are found without joining and hashing text for each log.
  const byContract = new Map<string, { list: OpenList; byFirst: Map<string, OpenList> }>()
  const byPosition: Map<string, OpenList>[] = []
  const byTopics: OpenList[] = []
  const accountLists = new Map<string, OpenList>()

  function listOf(value: string): OpenList {
    const key = hash(value)
    let list = open.get(key)
    if (!list) open.set(key, (list = { block: -1, index: 0, writer: createByteWriter(8) }))
    return list
  }

  return {
    /** Adds a log to the lists of its values. Logs come in order. @param block - offset in the segment. */
    add(
      block: number,
      { address, index, topics }: Pick<PlainLog, 'address' | 'index' | 'topics'>,
    ): void {
      let contract = byContract.get(address)
      if (!contract) {
        contract = { list: listOf(byAddress(address)), byFirst: new Map() }
        byContract.set(address, contract)
      }
      writePlace(contract.list, block, index)
      writePlace((byTopics[topics.length] ??= listOf(byCount(topics.length))), block, index)
      for (const [position, topic] of topics.entries()) {
        const known = (byPosition[position] ??= new Map<string, OpenList>())
        let list = known.get(topic)
        if (!list) known.set(topic, (list = listOf(byTopic(position, topic))))
        writePlace(list, block, index)
        if (position > 0) continue
        let both = contract.byFirst.get(topic)
        if (!both) {
          both = listOf(byAddressAndTopic(address, topic))
          contract.byFirst.set(topic, both)
        }
        writePlace(both, block, index)
      }
    },
    /** Adds a transaction. They come in order. @param block - offset in the segment. */
    addTransaction(block: number, index: number, { accounts, created }: Concerned): void {
      for (const [account, kinds] of accounts) {
        let list = accountLists.get(account)
        if (!list) accountLists.set(account, (list = listOf(byAccount(account))))
        writePlace(list, block, index * KIND_BITS + kinds)
      }
      for (const { contract } of created)
        writePlace(listOf(byCreated(contract)), block, index * KIND_BITS)
    },
    /** Every list, in the order of the hashes. */
    lists: (): [hash: string, list: Buffer][] =>
      [...open]
        .map(([hash, { writer }]): [string, Buffer] => [hash, written(writer)])
        .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  }
}

type OpenList = { writer: ByteWriter; block: number; index: number }

function writePlace(list: OpenList, block: number, index: number): void {
  if (block === list.block) writeVarint(list.writer, (index - list.index) * 2)
  else {
    writeVarint(list.writer, (block - list.block) * 2 + 1)
    writeVarint(list.writer, index)
  }
  list.block = block
  list.index = index
}

/** The places of a list, absolute, between two blocks (both included). @param start - first block of the segment. */
export function readPlaces(
  list: Buffer,
  start: number,
  { from, to }: BlockRange,
  into: number[] = [],
): number[] {
  const reader: ByteReader = { bytes: list, at: 0 }
  let block = start - 1
  let index = 0
  while (reader.at < list.length) {
    const step = readVarint(reader)
    if (step % 2 === 0) index += step / 2
    else {
      block += (step - 1) / 2
      index = readVarint(reader)
      if (block > to) break
    }
    if (block >= from) into.push(block * INDICES + index)
  }
  return into
}

/** Joins the lists of neighbouring segments. @param start - offset of each list's segment in the merged one. */
export function joinLists(lists: readonly { start: number; list: Buffer }[]): Buffer {
  const size = lists.reduce((sum, { list }) => sum + list.length + 8, 0)
  const joined: OpenList = { block: -1, index: 0, writer: createByteWriter(size) }
  for (const { list, start } of lists) {
    const reader: ByteReader = { bytes: list, at: 0 }
    const first = readVarint(reader)
    let block = start - 1 + (first - 1) / 2
    let index = readVarint(reader)
    writePlace(joined, block, index)
    const rest = reader.at
    // Later places are relative to earlier ones, so they need no change.
    while (reader.at < list.length) {
      const step = readVarint(reader)
      if (step % 2 === 0) index += step / 2
      else {
        block += (step - 1) / 2
        index = readVarint(reader)
      }
    }
    reserve(joined.writer, list.length - rest)
    joined.writer.length += list.copy(joined.writer.bytes, joined.writer.length, rest)
    joined.block = block
    joined.index = index
  }
  return written(joined.writer)
}

/** Places that are in both, each sorted. */
export function intersect(a: readonly number[], b: readonly number[]): number[] {
  const both: number[] = []
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    const [left, right] = [a[i] as number, b[j] as number]
    if (left === right) both.push(left)
    if (left <= right) i += 1
    if (right <= left) j += 1
  }
  return both
}

/** Sorts places and removes duplicates: the union of several lists. */
export function sorted(places: readonly number[]): number[] {
  const union: number[] = []
  let last = -1
  for (const place of new Float64Array(places).toSorted()) {
    if (place !== last) union.push(place)
    last = place
  }
  return union
}
