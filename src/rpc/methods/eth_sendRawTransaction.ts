import { defineMethod, schemas } from '../method.ts'
import { bytes, named, withUnit } from '../params/params.ts'

/** Signed bytes, and the unit of the endpoint: the amounts of an Ethereum transaction are in this unit. */
export const signedBytes = withUnit(named('transaction', bytes, 'signed, native or Ethereum'))

export const eth_sendRawTransaction = defineMethod({
  params: [signedBytes],
  result: schemas.hash,
  summary:
    'sends a natively signed transaction; sends an Ethereum transaction only if the gateway manages the key of its sender',
  fullOnly: true,
  handler: ({ execution }, [{ unit, value }], call) => execution.sendRaw(value, { call, unit }),
})
