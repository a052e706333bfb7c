import { isObject } from '../../lib/isObject.ts'
import { feeQuote } from '../../sending/feeQuote.ts'
import { defineMethod, schemas } from '../method.ts'
import { type CallRequest, callRequest, toPlainCall } from '../params/callParam.ts'
import { objectOf, type Param } from '../params/params.ts'
import { sendRequest } from '../params/sendParam.ts'

const { amount, quantity } = schemas

/** Members of a call or transaction. Those of gas, fee and nonce have no effect on a quote. */
const MEMBERS = [...Object.keys(sendRequest.doc?.schema.properties ?? {}), 'type']

/** A call without unknown members: a misspelt one would change the quote without an error. */
const quotedCall: Param<CallRequest> = (input, scope) => {
  if (isObject(input)) objectOf(MEMBERS, input)
  return callRequest(input, scope)
}
if (callRequest.doc) quotedCall.doc = callRequest.doc

export const ethgate_feeQuote = defineMethod({
  params: [quotedCall],
  result: schemas.object({
    energy: schemas.object({
      total: quantity,
      factor: quantity,
      fromCreator: quantity,
      fromSender: quantity,
      burned: quantity,
      price: amount,
    }),
    bandwidth: schemas.object({ points: quantity, paidBy: { enum: ['stake', 'free', 'coins'] } }),
    fee: schemas.object({ total: amount, energy: amount, bandwidth: amount, account: amount }),
    coins: schemas.text,
    feeLimit: amount,
    reason: schemas.text,
  }),
  summary:
    'what a call costs as a transaction that is sent now: energy and who pays it, bandwidth, the fee, a safe fee limit',
  fullOnly: true,
  handler: ({ chain, native }, [request], call) =>
    feeQuote(toPlainCall(request), { call, chain, native }),
})
