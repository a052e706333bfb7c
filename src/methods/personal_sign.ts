import type { Hex } from 'viem'
import { isHex, stringToHex } from 'viem/utils'

import * as schemas from '../codec/schemas.ts'
import { defineMethod } from '../jsonrpc/method.ts'
import { address, type Param, show } from '../jsonrpc/params.ts'
import { managedAccount } from '../sending/managed.ts'

/** Bytes as hex, or a text whose UTF-8 bytes are meant. */
export const message: Param<Hex> = (input) => {
  if (typeof input !== 'string') throw new Error(`expected hex bytes or a text, got ${show(input)}`)
  return isHex(input) && input.length % 2 === 0 ? input : stringToHex(input)
}
message.doc = { name: 'message', schema: schemas.bytes, description: 'hex bytes, or text' }

export const personal_sign = defineMethod({
  params: [message, address],
  result: schemas.bytes,
  summary: 'signs a message as Ethereum does (EIP-191), for a managed account',
  handler: ({ sending }, [raw, account]) =>
    managedAccount('personal_sign', account, { sending }).signMessage({ message: { raw } }),
})
