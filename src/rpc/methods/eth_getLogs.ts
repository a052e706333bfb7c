import { defineMethod, schemas } from '../method.ts'
import { logFilter } from '../params/filterParam.ts'
import { toRangeQuery } from './logRange.ts'

export const eth_getLogs = defineMethod({
  params: [logFilter],
  result: schemas.listOf(schemas.log),
  summary: 'logs of one block or of a range, by address and topics',
  handler: ({ chain }, [filter], call) =>
    chain.logs('blockHash' in filter ? filter : toRangeQuery(filter), call),
})
