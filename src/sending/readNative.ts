import type { Hex } from 'viem'

import { InvalidParamsError, RpcError } from '../lib/errors.ts'
import { countTransaction } from '../native/protobuf/count.ts'
import { decodeTransaction } from '../native/protobuf/transaction.ts'
import type { Transaction } from '../native/wire/types.ts'
import { assertSize } from './refusals.ts'

/** Largest native transaction in bytes: the limit of the network (`TRANSACTION_MAX_BYTE_SIZE`). */
export const MAX_BYTES = 500 * 1024

/** Maximum number of fields. The ABI of a large contract has a few thousand. Decoding this number takes a tenth of a second. */
const MAX_FIELDS = 20_000

/** Maximum number of signatures. A permission has at most five keys, unless a vote raises the number. */
const MAX_SIGNATURES = 100

/**
 * Decodes a serialised native transaction with one contract. The checks are cheap for any input.
 *
 * @throws InvalidParamsError when the bytes are not one; RpcError `-32000` when the node would reject its format.
 */
export function readNativeTransaction(raw: Hex): Transaction {
  assertSize(raw, MAX_BYTES)
  try {
    const { contracts, fields, signatures } = countTransaction(
      Buffer.from(raw.slice(2), 'hex'),
      MAX_FIELDS,
    )
    if (contracts > 1) throw new RpcError(-32000, 'a transaction needs exactly one contract')
    if (signatures > MAX_SIGNATURES)
      throw new RpcError(-32000, `invalid sender: more than ${MAX_SIGNATURES} signatures`)
    if (fields > MAX_FIELDS)
      throw new RpcError(-32000, `oversized data: more than ${MAX_FIELDS} fields`)
    const transaction = decodeTransaction(raw)
    if (transaction.raw_data.contract?.length === 1) return transaction
  } catch (error) {
    if (error instanceof RpcError) throw error
    throw new InvalidParamsError(
      0,
      'expected a signed transaction: the protobuf bytes of this chain, or an Ethereum transaction',
    )
  }
  throw new RpcError(-32000, 'a transaction needs exactly one contract')
}
