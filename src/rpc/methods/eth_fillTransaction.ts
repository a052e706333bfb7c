import * as schemas from '../../codec/schemas.ts'
import { defineMethod } from '../method.ts'
import { sendRequest } from '../params/sendParam.ts'
import { withUnit } from '../params/withUnit.ts'

export const eth_fillTransaction = defineMethod({
  params: [withUnit(sendRequest)],
  result: schemas.filled,
  summary: 'fills in gas, gas price and nonce of a transaction without signing it',
  handler: ({ execution }, [{ unit, value }], call) => execution.fill(value, { call, unit }),
})
