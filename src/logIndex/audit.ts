import { searchNode } from '../chain/logs/logHints.ts'
import type { BlockRange } from '../chain/reads/blockRange.ts'
import type { NodeRpc } from '../native/transport/nodeRpc.ts'
import type { Pace } from './fill/pace.ts'

export type { BlockRange } from '../chain/reads/blockRange.ts'

/** What an audit compares of a log. Hex without `0x`. */
export type AuditedLog = {
  block: number
  index: number
  address: string
  topic: string | undefined
}

/** A block with logs that the node's own search does not find. */
export type Dropped = {
  block: number
  logs: number
  /** The searches that do not find them, sorted: an address, or a first topic. */
  searches: string[]
}

/** Blocks of one search. The node allows 5,000 by default. */
const STEP = 1_000

/**
 * Compares the node's own eth_getLogs with the logs of a range: each address and each first topic of 1,000 blocks is searched, because
 * the node finds a block for each by other bits of its bloom filter.
 *
 * @param read - all logs of a range of blocks, at most 1,000 of them.
 * @throws NodeRpcError, UpstreamError
 */
export async function auditSearch(
  { from, to }: BlockRange,
  { pace, read, rpc }: auditSearch.Options,
): Promise<{ blocks: number; logs: number; searches: number; dropped: Dropped[] }> {
  const result = { blocks: to - from + 1, logs: 0, searches: 0, dropped: [] as Dropped[] }
  for (let start = from; start <= to; start += STEP) {
    const part = { from: start, to: Math.min(to, start + STEP - 1) }
    const logs = await read(part)
    const searches = [
      ...logsBy(logs, ({ address }) => address).map(([address, expected]) => ({
        value: `0x${address}`,
        match: { addresses: [`0x${address}`], topics: [] },
        expected,
      })),
      ...logsBy(logs, ({ topic }) => topic).map(([topic, expected]) => ({
        value: `0x${topic}`,
        match: { addresses: [], topics: [[`0x${topic}`]] },
        expected,
      })),
    ]
    const missing = new Map<number, { logs: Set<number>; searches: Set<string> }>()
    await Promise.all(
      searches.map(async ({ expected, match, value }) => {
        const found = await pace.run(() => searchNode(rpc, part, match, {}))
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
      result.dropped.push({ block, logs: one.logs.size, searches: [...one.searches].toSorted() })
  }
  return result
}

export declare namespace auditSearch {
  type Options = {
    pace: Pick<Pace, 'run'>
    read: (range: BlockRange) => Promise<AuditedLog[]>
    rpc: Pick<NodeRpc, 'call'>
  }
}

/** The logs of each value, in order. Logs without one are left out. */
function logsBy(logs: readonly AuditedLog[], valueOf: (log: AuditedLog) => string | undefined) {
  const groups = new Map<string, AuditedLog[]>()
  for (const log of logs) {
    const value = valueOf(log)
    if (value === undefined) continue
    const group = groups.get(value)
    if (group) group.push(log)
    else groups.set(value, [log])
  }
  return [...groups]
}

const placeOf = (block: number, index: number) => `${block} ${index}`
