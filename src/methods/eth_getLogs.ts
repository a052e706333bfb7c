import { logFilter } from '../jsonrpc/filterParam.ts'
import { defineMethod } from '../jsonrpc/method.ts'

export const eth_getLogs = defineMethod({
  params: [logFilter],
  summary: 'logs of one block or of a range, by address and topics',
  handler: ({ chain, request }, [filter]) =>
    chain.logs(
      'blockHash' in filter
        ? filter
        : {
            ...filter,
            fromBlock: filter.fromBlock ?? 'latest',
            toBlock: filter.toBlock ?? 'latest',
          },
      request.signal,
    ),
})
