import type { Hex } from 'viem'
import { isHex } from 'viem/utils'

import { managedAccount } from '../../sending/managed.ts'
import { defineMethod, schemas } from '../method.ts'
import { address, type Param, show } from '../params/params.ts'

/** Longest message, bytes. No person can read a longer one, and hashing it would delay other calls. */
const MAX_MESSAGE = 128 * 1024

/** Bytes as hex, or a text, which means its UTF-8 bytes. */
export const message: Param<Hex> = (input) => {
  if (typeof input !== 'string') throw new Error(`expected hex bytes or a text, got ${show(input)}`)
  if (input.length > 2 + 2 * MAX_MESSAGE) throw tooLong()
  const raw = isHex(input) && input.length % 2 === 0 ? input : toHex(input)
  if (raw.length > 2 + 2 * MAX_MESSAGE) throw tooLong()
  return raw
}
message.doc = { name: 'message', schema: schemas.bytes, description: 'hex bytes, or text' }

const toHex = (text: string): Hex => `0x${Buffer.from(text).toString('hex')}`

const tooLong = () => new Error(`expected a message of at most ${MAX_MESSAGE} bytes`)

export const personal_sign = defineMethod({
  params: [message, address],
  result: schemas.bytes,
  summary: 'signs a message with a managed account, as on Ethereum (EIP-191)',
  handler: ({ sending }, [raw, account], call) =>
    managedAccount('personal_sign', account, { call, sending }).signMessage({
      message: { raw },
    }),
})
