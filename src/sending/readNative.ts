import type { Hex } from 'viem'

import { InvalidParamsError, RpcError } from '../errors.ts'
import { countTransaction } from '../native/protobuf/count.ts'
import { decodeTransaction } from '../native/protobuf/transaction.ts'
import type { Transaction } from '../native/types.ts'
import { assertSize } from './refusals.ts'

/** Largest native transaction, as the network has it (`TRANSACTION_MAX_BYTE_SIZE`). */
const MAX_BYTES = 500 * 1024

/** Fields in all. The interface of a large contract has a few thousand; a decoder needs a tenth of a second for these. */
const MAX_FIELDS = 20_000

/** Signatures of one transaction. A permission has at most five keys, unless the network voted for more. */
const MAX_SIGNATURES = 100

/**
 * A serialised native transaction with one contract.
 *
 * @throws InvalidParamsError when the bytes are not one; RpcError `-32000` when the node would refuse its form. Both
 * checks are cheap for any input.
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
      'expected a signed transaction: the protobuf bytes of this chain, or an Ethereum transaction of a managed account',
    )
  }
  throw new RpcError(-32000, 'a transaction needs exactly one contract')
}
