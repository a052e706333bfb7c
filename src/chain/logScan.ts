import type { Hash } from 'viem'

import { timeSlice } from '../lib/timeSlice.ts'
import type { Blocks, CanonicalView } from './blocks.ts'
import { countedChunk, type LogChunk } from './logChunk.ts'
import type { LogMatcher } from './logMatch.ts'
import type { SearchMemory } from './searchMemory.ts'
import type { BlockSpans, SearchedBlock } from './spans.ts'

/** Blocks from one height to another, both included. */
export type BlockRange = { from: number; to: number }

/** Spans that one search reads at a time; each asks for its blocks in parallel. */
const WORKERS = 4

/** Takes the rows of a block. */
export const takeRows: scanBlocks.Options['take'] = (block, matcher) => block.logs(matcher)

/** Takes only the number of rows. */
export const takeCount: scanBlocks.Options['take'] = (block, matcher) =>
  countedChunk(block.id.number, block.count(matcher))

/** Hashes of the blocks above the solidified one, as they were when a search began. */
export type Pins = ReadonlyMap<number, Hash | undefined>

export function pinsOf(
  { from, to }: BlockRange,
  { blocks, head }: { blocks: Pick<Blocks, 'hashAt'>; head: Pick<CanonicalView, 'solid'> },
): Pins {
  const pins = new Map<number, Hash | undefined>()
  for (let number = Math.max(from, head.solid().number + 1); number <= to; number++)
    pins.set(number, blocks.hashAt(number))
  return pins
}

/**
 * Reads and searches blocks in order, until the rows from the beginning on are more than `limit`: then all up to the one too many are
 * there, a chunk a block. Undefined when a reorg made the blocks differ from the pins.
 */
export async function scanBlocks(
  { from, to }: BlockRange,
  matcher: LogMatcher,
  { limit, memory, pins, signal, spans, take }: scanBlocks.Options,
): Promise<LogChunk[] | undefined> {
  const found: (LogChunk | undefined)[] = Array.from({ length: to - from + 1 })
  let next = from
  /** Blocks from the beginning on that are searched without a gap, and their rows. */
  let done = 0
  let rows = 0
  let isSame = true

  async function work(): Promise<void> {
    while (next <= to && rows <= limit && isSame) {
      signal?.throwIfAborted()
      const start = next
      next = Math.min(to + 1, start + spans.step())
      const read = await spans.read(start, next - 1, signal)
      for (const [offset, block] of read.entries()) {
        const pin = pins.get(start + offset)
        if (!block || (pin !== undefined && pin !== block.id.hash)) {
          isSame = false
          return
        }
        // A dense block takes some milliseconds when its logs are wanted for the first time.
        if (timeSlice.isOver()) await timeSlice.next()
        const chunk = take(block, matcher)
        found[start + offset - from] = chunk
        await memory?.add(chunk.bytes)
      }
      for (let ready = found[done]; ready; ready = found[done]) {
        rows += ready.count
        done += 1
      }
    }
  }

  await Promise.all(Array.from({ length: WORKERS }, work))
  return isSame ? found.slice(0, done).filter((chunk) => chunk !== undefined) : undefined
}

export declare namespace scanBlocks {
  type Options = {
    limit: number
    /** Counts the rows that the search holds. */
    memory?: SearchMemory | undefined
    pins: Pins
    spans: BlockSpans
    signal?: AbortSignal | undefined
    /** What is taken of a block: its rows, or their number. */
    take: (block: SearchedBlock, matcher: LogMatcher) => LogChunk
  }
}
