import type { LogMatch, LogQuery } from '../../chain/blocks/chainTypes.ts'
import type { LogRangeFilter } from '../params/logPageParam.ts'

/** An open range ends at the newest block. One with only an end is that block, as in the node’s own JSON-RPC. */
export function toRangeQuery({
  addresses,
  fromBlock,
  toBlock = 'latest',
  topics,
}: LogRangeFilter): LogMatch & Exclude<LogQuery, { blockHash: unknown }> {
  return { addresses, fromBlock: fromBlock ?? toBlock, toBlock, topics }
}
