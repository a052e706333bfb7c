import type { BlockRange } from '../chain/blockRange.ts'
import { searchNode } from '../chain/logs/logHints.ts'
import type { NodeRpc } from '../native/transport/rpc.ts'
import type { Pace } from './fill/pace.ts'

/** What an audit compares of a log. Hex without `0x`. */
export type AuditedLog = {
  block: number
  index: number
  address: string
  topic: string | undefined
}

/** A range of blocks, both ends included. */
export type Span = BlockRange

/** A block with logs that the node's own search does not find. */
export type Dropped = {
  block: number
  logs: number
  /** The searches that do not find them: an address, or a first topic. */
  searches: string[]
}

/** Blocks of one search. The node allows 5,000 by default. */
const SPAN = 1_000

/**
 * Compares the node's own eth_getLogs with the logs of a range: each address and each first topic of 1,000 blocks is searched, because
 * the node finds a block for each by other bits of its bloom filter.
 *
 * @param read - all logs of a range of blocks, at most 1,000 of them.
 * @throws NodeRpcError, UpstreamError
 */
export async function auditSearch(
  { from, to }: Span,
  { pace, read, rpc }: auditSearch.Options,
): Promise<{ blocks: number; logs: number; searches: number; dropped: Dropped[] }> {
  const result = { blocks: to - from + 1, logs: 0, searches: 0, dropped: [] as Dropped[] }
  for (let start = from; start <= to; start += SPAN) {
    const span = { from: start, to: Math.min(to, start + SPAN - 1) }
    const logs = await read(span)
    const searches = [
      ...distinct(logs.map(({ address }) => address)).map((address) => ({
        value: `0x${address}`,
        match: { addresses: [`0x${address}`], topics: [] },
        expected: logs.filter((log) => log.address === address),
      })),
      ...distinct(logs.flatMap(({ topic }) => topic ?? [])).map((topic) => ({
        value: `0x${topic}`,
        match: { addresses: [], topics: [[`0x${topic}`]] },
        expected: logs.filter((log) => log.topic === topic),
      })),
    ]
    const missing = new Map<number, { logs: Set<number>; searches: Set<string> }>()
    await Promise.all(
      searches.map(async ({ expected, match, value }) => {
        const found = await pace.run(() => searchNode(rpc, span, match, {}))
        const places = new Set(
          found.map(({ blockNumber, logIndex }) => placeOf(Number(blockNumber), Number(logIndex))),
        )
        for (const { block, index } of expected) {
          if (places.has(placeOf(block, index))) continue
          const known = missing.get(block) ?? { logs: new Set(), searches: new Set() }
          missing.set(block, known)
          known.logs.add(index)
          known.searches.add(value)
        }
      }),
    )
    result.logs += logs.length
    result.searches += searches.length
    for (const [block, one] of [...missing].toSorted(([a], [b]) => a - b))
      result.dropped.push({ block, logs: one.logs.size, searches: [...one.searches] })
  }
  return result
}

export declare namespace auditSearch {
  type Options = {
    pace: Pick<Pace, 'run'>
    read: (span: Span) => Promise<AuditedLog[]>
    rpc: Pick<NodeRpc, 'call'>
  }
}

const distinct = (values: readonly string[]) => [...new Set(values)]

const placeOf = (block: number, index: number) => `${block} ${index}`
