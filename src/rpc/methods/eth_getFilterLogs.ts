import { defineMethod, schemas } from '../method.ts'
import { filterId } from '../params/subscriptionParam.ts'

export const eth_getFilterLogs = defineMethod({
  params: [filterId],
  result: schemas.listOf(schemas.log),
  summary: 'all logs in the range of a log filter',
  handler: ({ filters }, [id], call) => filters.logs(id, call),
})
