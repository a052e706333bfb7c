import type { LogMatch, LogQuery } from '../chain/chainTypes.ts'
import type { Context } from '../context.ts'
import type { LogRangeFilter } from '../jsonrpc/logPageParam.ts'

/** An open range ends at the newest block. One that has only an end is that block, as the node’s own JSON-RPC has it. */
export function toRangeQuery(
  { addresses, fromBlock, toBlock = 'latest', topics }: LogRangeFilter,
  chain: Context['chain'],
): LogMatch & Exclude<LogQuery, { blockHash: unknown }> {
  const end = typeof toBlock === 'number' ? Math.min(toBlock, chain.latest().number) : toBlock
  return { addresses, fromBlock: fromBlock ?? end, toBlock, topics }
}
