import type { Hash } from 'viem'

import type { Call } from '../../lib/call.ts'
import { timeSlice } from '../../lib/timeSlice.ts'
import { together } from '../../lib/together.ts'
import type { Blocks, CanonicalView } from '../blocks/blocks.ts'
import type { LogOrigin } from '../blocks/chainTypes.ts'
import { countedChunk, type LogChunk } from '../blocks/logChunk.ts'
import type { LogMatcher } from '../blocks/logMatch.ts'
import type { BlockRange } from '../reads/blockRange.ts'
import { joinOrigins } from './origins.ts'
import type { SearchMemory } from './searchMemory.ts'
import type { BlockSpans, SearchedBlock } from './spans.ts'

/** Spans that one search reads at a time. The blocks of a span are read in parallel. */
const WORKERS = 4

/** Reads the matching rows of a block. */
export const takeRows: scanBlocks.Options['take'] = (block, matcher) => block.logs(matcher)

/** Reads only the number of matching rows. */
export const takeCount: scanBlocks.Options['take'] = (block, matcher) =>
  countedChunk(block.id.number, block.count(matcher))

/** Hashes of the blocks above the solidified block at the start of a search. */
export type Pins = ReadonlyMap<number, Hash | undefined>

/** The pins of a range: the hashes of its blocks above the solidified block, if known. */
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
 * Reads and searches blocks in order until there are more than `limit` rows. Returns one chunk for each block up to the
 * row that exceeds the limit, and which of the blocks were in memory. Undefined when a reorg made a block differ from its pin.
 */
export async function scanBlocks(
  { from, to }: BlockRange,
  matcher: LogMatcher,
  { limit, memory, pins, call, spans, take }: scanBlocks.Options,
): Promise<{ chunks: LogChunk[]; origins: LogOrigin[] } | undefined> {
  const found: (LogChunk | undefined)[] = Array.from({ length: to - from + 1 })
  const origins: LogOrigin[] = []
  let next = from
  /** Number of leading blocks that were searched without a gap, and the number of their rows. */
  let done = 0
  let rows = 0
  let isSame = true

  async function work(call: Call): Promise<void> {
    while (next <= to && rows <= limit && isSame) {
      call.signal?.throwIfAborted()
      const start = next
      next = Math.min(to + 1, start + spans.step())
      for (let number = start; number < next; number++)
        origins.push({
          from: number,
          to: number,
          source: spans.has(number) ? 'memory' : 'receipts',
        })
      const read = await spans.read(start, next - 1, call)
      for (const [offset, block] of read.entries()) {
        const pin = pins.get(start + offset)
        if (!block || (pin !== undefined && pin !== block.id.hash)) {
          isSame = false
          return
        }
        // The first read of the logs of a dense block takes some milliseconds.
        if (timeSlice.isOver()) await timeSlice.next(call)
        // Before the rows are read, because those of one dense block may be large.
        const room = memory?.room()
        if (room) {
          await room
          if (timeSlice.isOver()) await timeSlice.next(call)
        }
        const chunk = take(block, matcher)
        found[start + offset - from] = chunk
        memory?.add(chunk.bytes)
      }
      for (let ready = found[done]; ready; ready = found[done]) {
        rows += ready.count
        done += 1
      }
    }
  }

  await together(call, (own) => Array.from({ length: WORKERS }, () => work(own)))
  if (!isSame) return undefined
  return {
    chunks: found.slice(0, done).filter((chunk) => chunk !== undefined),
    origins: joinOrigins(origins.filter((origin) => origin.from < from + done)),
  }
}

export declare namespace scanBlocks {
  type Options = {
    limit: number
    /** Counts the rows that the search holds. */
    memory?: SearchMemory | undefined
    pins: Pins
    spans: BlockSpans
    call?: Call | undefined
    /** Reads the rows of a block, or their number. */
    take: (block: SearchedBlock, matcher: LogMatcher) => LogChunk
  }
}
