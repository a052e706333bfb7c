import type { LogQuery } from '../chain/chainTypes.ts'
import * as schemas from '../codec/schemas.ts'
import type { Context } from '../context.ts'
import { type LogFilter, logFilter } from '../jsonrpc/filterParam.ts'
import { defineMethod } from '../jsonrpc/method.ts'

export const eth_getLogs = defineMethod({
  params: [logFilter],
  result: schemas.listOf(schemas.log),
  summary: 'logs of one block or of a range, by address and topics',
  handler: ({ chain, request }, [filter]) => chain.logs(toQuery(filter, chain), request.signal),
})

/** An open range ends at the newest block. One that has only an end is that block, as the node’s own JSON-RPC has it. */
function toQuery(filter: LogFilter, chain: Context['chain']): LogQuery {
  if ('blockHash' in filter) return filter
  const { addresses, fromBlock, toBlock = 'latest', topics } = filter
  const end = typeof toBlock === 'number' ? Math.min(toBlock, chain.latest().number) : toBlock
  return { addresses, fromBlock: fromBlock ?? end, toBlock, topics }
}
