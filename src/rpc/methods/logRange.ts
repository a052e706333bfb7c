import type { LogMatch, LogQuery } from '../../chain/blocks/chainTypes.ts'
import type { Context } from '../context.ts'
import type { LogRangeFilter } from '../params/logPageParam.ts'

/** An open range ends at the newest block. One with only an end is that block, as in the node’s own JSON-RPC. */
export function toRangeQuery(
  { addresses, fromBlock, toBlock = 'latest', topics }: LogRangeFilter,
  chain: Context['chain'],
): LogMatch & Exclude<LogQuery, { blockHash: unknown }> {
  const end = typeof toBlock === 'number' ? Math.min(toBlock, chain.latest().number) : toBlock
  return { addresses, fromBlock: fromBlock ?? end, toBlock, topics }
}
