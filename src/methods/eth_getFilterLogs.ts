import { defineMethod } from '../jsonrpc/method.ts'
import { filterId } from '../jsonrpc/subscriptionParam.ts'

export const eth_getFilterLogs = defineMethod({
  params: [filterId],
  summary: 'all logs in the range of a log filter',
  handler: ({ filters, request }, [id]) => filters.logs(id, request.signal),
})
