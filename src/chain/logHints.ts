import type { NodeRpc } from '../native/rpc.ts'
import type { LogMatch } from './chainTypes.ts'
import type { LogChunk } from './logChunk.ts'
import type { LogMatcher } from './logMatch.ts'
import type { BlockRange } from './logScan.ts'
import type { SearchMemory } from './searchMemory.ts'
import type { BlockSpans } from './spans.ts'

/** Tells in which blocks a search has logs, without reading them. */
export type LogHints = {
  /** Blocks with logs that match and how many each has; undefined when it cannot be told, or are too many to be worth it. */
  blocksWith(
    range: BlockRange,
    match: LogMatch,
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<number, number> | undefined>
}

/** Blocks of one question: the node answers 10,000 logs at most, and what it answers is parsed in one turn. */
const SPAN = 2_500

/** Below this the blocks are read as they are. */
const FEW_BLOCKS = 50

/** Share of the blocks that may match: with more, reading all in bulk costs no more. */
const WORTHWHILE = 0.5

/** What the node says of a range that has too many logs, or too many blocks: a shorter one will do. */
const TOO_MUCH = /more than|max block range/i

/** Hints from the node's own JSON-RPC, which has filters over sections of blocks. What it says of a log is not used. */
export function createLogHints({ rpc }: { rpc: Pick<NodeRpc, 'call'> }): LogHints {
  async function ask(
    { from, to }: BlockRange,
    match: LogMatch,
    signal: AbortSignal | undefined,
  ): Promise<number[]> {
    const filter = {
      fromBlock: `0x${from.toString(16)}`,
      toBlock: `0x${to.toString(16)}`,
      ...(match.addresses.length > 0 && { address: match.addresses }),
      ...(match.topics.length > 0 && {
        topics: match.topics.map((choice) => (choice && choice.length > 0 ? choice : null)),
      }),
    }
    try {
      const logs = (await rpc.call('eth_getLogs', [filter], signal)) as { blockNumber: string }[]
      return logs.map(({ blockNumber }) => Number(blockNumber))
    } catch (error) {
      const reason = (error as { cause?: { message?: unknown } }).cause?.message
      if (from === to || typeof reason !== 'string' || !TOO_MUCH.test(reason)) throw error
      const middle = from + Math.floor((to - from) / 2)
      const halves = await Promise.all([
        ask({ from, to: middle }, match, signal),
        ask({ from: middle + 1, to }, match, signal),
      ])
      return halves.flat()
    }
  }

  return {
    async blocksWith({ from, to }, match, signal) {
      const isNarrow = match.addresses.length > 0 || match.topics.some((choice) => choice?.length)
      const length = to - from + 1
      if (!isNarrow || length < FEW_BLOCKS) return undefined
      const counts = new Map<number, number>()
      const starts = Array.from(
        { length: Math.ceil(length / SPAN) },
        (_, span) => from + span * SPAN,
      )
      try {
        const answers = await Promise.all(
          starts.map((at) => ask({ from: at, to: Math.min(to, at + SPAN - 1) }, match, signal)),
        )
        for (const numbers of answers)
          for (const number of numbers) counts.set(number, (counts.get(number) ?? 0) + 1)
      } catch {
        signal?.throwIfAborted()
        return undefined
      }
      if (counts.size > length * WORTHWHILE) return undefined
      return counts
    },
  }
}

/** Blocks that are read at once. */
const READS = 16

/**
 * The logs of solidified blocks, read only where a hint says that there are some. Undefined when the blocks do not have what was said:
 * then all have to be read.
 */
export async function readHinted(
  counts: ReadonlyMap<number, number>,
  matcher: LogMatcher,
  { limit, memory, signal, spans }: readHinted.Options,
): Promise<LogChunk[] | undefined> {
  const numbers = [...counts.keys()].toSorted((a, b) => a - b)
  const found: LogChunk[] = []
  /** Blocks from the beginning on that were read without a gap, and their rows. */
  let done = 0
  let rows = 0
  let next = 0
  let isRight = true

  async function work(): Promise<void> {
    while (next < numbers.length && rows <= limit && isRight) {
      signal?.throwIfAborted()
      const at = next++
      const number = numbers[at] as number
      const block = await spans.readOne(number, signal)
      const chunk = block?.logs(matcher)
      if (!chunk || chunk.count !== counts.get(number)) {
        isRight = false
        return
      }
      found[at] = chunk
      await memory?.add(chunk.bytes)
      for (let ready = found[done]; ready; ready = found[done]) {
        rows += ready.count
        done += 1
      }
    }
  }

  await Promise.all(Array.from({ length: READS }, work))
  return isRight ? found.slice(0, done) : undefined
}

export declare namespace readHinted {
  type Options = {
    limit: number
    /** Counts the rows that the search holds. */
    memory?: SearchMemory | undefined
    spans: Pick<BlockSpans, 'readOne'>
    signal?: AbortSignal | undefined
  }
}
