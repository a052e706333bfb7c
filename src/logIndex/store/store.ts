import { timeSlice } from '../../lib/timeSlice.ts'
import type { Batch, Engine, Entry } from '../engine/engine.ts'
import type { IndexBlock } from '../format/block.ts'
import { BLOCKS_OF_LEVEL, createHasher, type Level, postingKey } from '../format/keys.ts'
import { packsOf } from '../format/packs.ts'
import { createPostingsBuilder } from '../format/postings.ts'
import {
  BrokenChainError,
  entryOf,
  firstOf,
  lastOf,
  readCoverage,
  readSegments,
  requireChild,
  type Segment,
} from './coverage.ts'
import type { Facts } from './facts.ts'
import { removePostings, removeSegment } from './remove.ts'

/** Blocks in order. They are taken one by one, so that few of them are in memory. */
type Blocks = Iterable<IndexBlock> | AsyncIterable<IndexBlock>

/** Writes complete segments. Every change is one transaction, so a killed process leaves no partial segment. */
export type IndexStore = ReturnType<typeof createIndexStore>

/** Creates the writer’s view of an index: coverage, new segments, truncation. */
export function createIndexStore({ engine, facts }: createIndexStore.Options) {
  const hash = createHasher(facts.seed)
  const kept = facts.addresses === undefined ? undefined : new Set(facts.addresses)

  /** The rows of a segment. Made before the transaction, to keep it short. @throws BrokenChainError */
  async function rowsOf(level: Level, blocks: Blocks) {
    const postings = createPostingsBuilder(hash)
    const packs: Entry[] = []
    let first: IndexBlock | undefined
    let last: IndexBlock | undefined
    let count = 0
    let transactions = 0
    for await (const block of blocks) {
      if (last) requireChild(block, last)
      first ??= block
      last = block
      const logs = kept ? block.logs.filter(({ address }) => kept.has(address)) : block.logs
      count += logs.length
      const offset = block.number % BLOCKS_OF_LEVEL[level]
      for (const log of logs) postings.add(offset, log)
      transactions += block.transactions.length
      if (!kept)
        for (const [index, transaction] of block.transactions.entries())
          postings.addTransaction(offset, index, transaction)
      packs.push(...packsOf({ ...block, logs }, engine.logsPerPack))
      // Calls to the node go on meanwhile.
      if (timeSlice.isOver()) await timeSlice.next()
    }
    if (!first || !last) throw new BrokenChainError('no blocks')
    const segment = Math.floor(first.number / BLOCKS_OF_LEVEL[level])
    const row: Segment = {
      level,
      segment,
      parentHash: first.parentHash,
      lastHash: last.hash,
      logs: count,
      ...(!kept && { transactions }),
    }
    if (first.number !== firstOf(row) || last.number !== lastOf(row))
      throw new BrokenChainError(`blocks ${first.number} to ${last.number} are not a segment`)
    const lists = postings
      .lists()
      .map(([hash, list]): Entry => ({ key: postingKey(level, segment, hash), value: list }))
    return { lists, packs, row }
  }

  /** @returns whether the segment may be added; false when it is covered. @throws BrokenChainError */
  async function fits(batch: Batch, segment: Segment): Promise<boolean> {
    const [from, to] = [firstOf(segment), lastOf(segment)]
    for (const range of await readCoverage(batch)) {
      if (range.from <= from && range.to >= to) return false
      if (range.from <= to && range.to >= from)
        throw new BrokenChainError(`some of the blocks ${from} to ${to} are indexed already`)
      if (range.to + 1 === from && range.lastHash !== segment.parentHash)
        throw new BrokenChainError(
          `block ${from} is not the child of the indexed block ${range.to}`,
        )
      if (range.from - 1 === to && range.parentHash !== segment.lastHash)
        throw new BrokenChainError(
          `the indexed block ${range.from} is not the child of block ${to}`,
        )
    }
    return true
  }

  return {
    /** The covered ranges. */
    coverage: () => engine.read(readCoverage),
    segments: () => engine.read(readSegments),

    /**
     * Adds the blocks of one segment, unless another replica was first.
     *
     * @returns how many logs it has, without those of contracts that the index does not keep; undefined when it was not added.
     * @throws BrokenChainError when they do not link, to each other or to their neighbours.
     */
    async append(level: 0 | 1, blocks: Blocks): Promise<number | undefined> {
      const { lists, packs, row } = await rowsOf(level, blocks)
      return engine.write(async (batch) => {
        if (!(await fits(batch, row))) return undefined
        // Lists of an abandoned branch may be left when a reorg crossed a merge.
        await removePostings(batch, level, row.segment, row.segment + 1)
        await batch.insert('logs', packs)
        await batch.insert('postings', lists)
        await batch.put('segments', [entryOf(row)])
        return row.logs
      })
    },

    /** Removes segments, unless another replica has replaced them meanwhile. */
    async remove(segments: readonly Segment[]): Promise<void> {
      const hashes = new Set(segments.map(({ lastHash }) => lastHash))
      if (hashes.size === 0) return
      await engine.write(async (batch) => {
        // A segment that was merged meanwhile ends with the block of its last part.
        const gone = (await readSegments(batch)).filter(({ lastHash }) => hashes.has(lastHash))
        for (const segment of gone) await removeSegment(batch, segment)
      })
    },
  }
}

export declare namespace createIndexStore {
  type Options = { engine: Engine; facts: Facts }
}
