import type { Hex } from 'viem'

import * as schemas from '../codec/schemas.ts'
import { defineMethod } from '../jsonrpc/method.ts'
import { bytes, named, type Param } from '../jsonrpc/params.ts'
import { fromSigned } from '../wei/scale.ts'

const transaction: Param<Hex> = named('transaction', bytes, 'signed, native or Ethereum')

export const eth_sendRawTransaction = defineMethod({
  params: [transaction],
  result: schemas.hash,
  summary:
    'sends a natively signed transaction; one signed for Ethereum only when the gateway holds the key of its sender',
  fullOnly: true,
  handler: ({ coin, sending }, [raw]) =>
    sending.sendRaw(raw, coin === 'wei' ? fromSigned : undefined),
})
