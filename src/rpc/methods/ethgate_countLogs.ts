import { toQuantity } from '../../codec/quantity.ts'
import { defineMethod, schemas } from '../method.ts'
import { logRangeFilter } from '../params/logPageParam.ts'
import { toRangeQuery } from './logRange.ts'

export const ethgate_countLogs = defineMethod({
  params: [logRangeFilter],
  result: schemas.quantity,
  summary:
    'number of logs in a range, by address and topics; without a limit where the log index covers the range',
  handler: async ({ chain }, [filter], call) =>
    toQuantity(await chain.countLogs(toRangeQuery(filter), call)),
})
