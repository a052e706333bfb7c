import { toQuantity } from '../codec/quantity.ts'
import * as schemas from '../codec/schemas.ts'
import { logRangeFilter } from '../jsonrpc/logPageParam.ts'
import { defineMethod } from '../jsonrpc/method.ts'
import { toRangeQuery } from './logRange.ts'

export const ethgate_countLogs = defineMethod({
  params: [logRangeFilter],
  result: schemas.quantity,
  summary:
    'number of logs in a range, by address and topics; without a limit where the log index covers the range',
  handler: async ({ chain, request }, [filter]) =>
    toQuantity(await chain.countLogs(toRangeQuery(filter, chain), request.signal)),
})
