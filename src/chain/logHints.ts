import type { NodeRpc } from '../native/rpc.ts'
import type { LogMatch } from './chainTypes.ts'
import type { LogChunk } from './logChunk.ts'
import type { LogMatcher } from './logMatch.ts'
import type { BlockRange } from './logScan.ts'
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

/** Blocks of one question: the node answers 10,000 logs at most, and as little as fits one turn of parsing. */
const SPAN = 1_000

/** Below this the blocks are read as they are. */
const FEW_BLOCKS = 50

/** Share of the blocks that may match: with more, reading all in bulk costs less. */
const WORTHWHILE = 0.25

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
      return [
        ...(await ask({ from, to: middle }, match, signal)),
        ...(await ask({ from: middle + 1, to }, match, signal)),
      ]
    }
  }

  return {
    async blocksWith({ from, to }, match, signal) {
      const isNarrow = match.addresses.length > 0 || match.topics.some((choice) => choice?.length)
      const length = to - from + 1
      if (!isNarrow || length < FEW_BLOCKS) return undefined
      const counts = new Map<number, number>()
      try {
        for (let at = from; at <= to; at += SPAN)
          for (const number of await ask(
            { from: at, to: Math.min(to, at + SPAN - 1) },
            match,
            signal,
          )) {
            counts.set(number, (counts.get(number) ?? 0) + 1)
            if (counts.size > length * WORTHWHILE) return undefined
          }
      } catch {
        signal?.throwIfAborted()
        return undefined
      }
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
  { limit, signal, spans }: { limit: number; spans: BlockSpans; signal?: AbortSignal | undefined },
): Promise<LogChunk[] | undefined> {
  const numbers = [...counts.keys()].toSorted((a, b) => a - b)
  const chunks: LogChunk[] = []
  let rows = 0
  for (let at = 0; at < numbers.length && rows <= limit; at += READS) {
    signal?.throwIfAborted()
    const some = numbers.slice(at, at + READS)
    const read = await Promise.all(some.map((number) => spans.read(number, number, signal)))
    for (const [index, [block]] of read.entries()) {
      const chunk = block?.logs(matcher)
      if (chunk?.count !== counts.get(some[index] ?? -1)) return undefined
      if (!chunk) return undefined
      chunks.push(chunk)
      rows += chunk.count
    }
  }
  return chunks
}
