import * as schemas from '../../codec/schemas.ts'
import { feeQuote } from '../../sending/feeQuote.ts'
import { defineMethod } from '../method.ts'
import { callRequest } from '../params/callParam.ts'

const { amount, quantity } = schemas

export const ethgate_feeQuote = defineMethod({
  params: [callRequest],
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
  handler: ({ chain, native, request: { signal } }, [call]) =>
    feeQuote(call, { chain, native, signal }),
})
