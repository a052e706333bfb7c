import { defineMethod } from '../jsonrpc/method.ts'
import { filterId } from '../jsonrpc/subscriptionParam.ts'

export const eth_uninstallFilter = defineMethod({
  params: [filterId],
  summary: 'ends a filter; false when there is none',
  handler: ({ filters }, [id]) => filters.uninstall(id),
})
