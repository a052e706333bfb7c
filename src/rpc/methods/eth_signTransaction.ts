import { defineMethod, schemas } from '../method.ts'
import { withUnit } from '../params/params.ts'
import { sendRequest } from '../params/sendParam.ts'

export const eth_signTransaction = defineMethod({
  params: [withUnit(sendRequest)],
  result: { anyOf: [schemas.filled, schemas.bytes] },
  summary:
    'signs a transaction with a managed account; returns native bytes for eth_sendRawTransaction',
  fullOnly: true,
  handler: ({ execution }, [{ unit, value }], call) => execution.sign(value, { call, unit }),
})
