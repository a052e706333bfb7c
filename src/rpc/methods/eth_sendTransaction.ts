import { defineMethod, schemas } from '../method.ts'
import { withUnit } from '../params/params.ts'
import { sendRequest } from '../params/sendParam.ts'

export const eth_sendTransaction = defineMethod({
  params: [withUnit(sendRequest)],
  result: schemas.hash,
  summary: 'signs and sends a native transaction with a managed account',
  fullOnly: true,
  handler: ({ execution }, [{ unit, value }], call) => execution.send(value, { call, unit }),
})
