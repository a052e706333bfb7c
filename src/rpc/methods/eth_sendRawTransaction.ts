import type { Hex } from 'viem'

import * as schemas from '../../codec/schemas.ts'
import { SUN, type Unit } from '../../codec/unit.ts'
import { defineMethod } from '../method.ts'
import { bytes, type Param } from '../params/params.ts'

/** Signed bytes, and the unit of the endpoint: the amounts of an Ethereum transaction are in this unit. */
export const signedBytes: Param<{ bytes: Hex; unit: Unit }> = (input, scope) => ({
  bytes: bytes(input),
  unit: scope?.unit ?? SUN,
})
signedBytes.doc = {
  name: 'transaction',
  schema: schemas.bytes,
  description: 'signed, native or Ethereum',
}

export const eth_sendRawTransaction = defineMethod({
  params: [signedBytes],
  result: schemas.hash,
  summary:
    'sends a natively signed transaction; sends an Ethereum transaction only if the gateway manages the key of its sender',
  fullOnly: true,
  handler: ({ request, sending }, [{ bytes: raw, unit }]) =>
    sending.sendRaw(raw, unit, request.caller?.spender),
})
