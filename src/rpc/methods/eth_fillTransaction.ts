import { defineMethod, schemas } from '../method.ts'
import { withUnit } from '../params/params.ts'
import { sendRequest } from '../params/sendParam.ts'

export const eth_fillTransaction = defineMethod({
  params: [withUnit(sendRequest)],
  result: schemas.filled,
  summary: 'fills in gas, gas price and nonce of a transaction without signing it',
  handler: ({ execution }, [{ unit, value }], call) => execution.fill(value, { call, unit }),
})
