import { isDeepStrictEqual } from 'node:util'

import { INSUFFICIENT_FUNDS } from '../../../chain/state/vmError.ts'
import { RpcError, UpstreamError } from '../../../lib/errors.ts'
import { NodeRefusedError } from '../../../native/errors.ts'
import { rawDataToJson, transactionId } from '../../../native/protobuf/transaction.ts'
import type { Transaction } from '../../../native/wire/types.ts'
import { LACKS_FUNDS } from '../../../sending/refusals.ts'

/** The expected content of a built transaction. Fields of `value` that are not named here are not checked. */
export type Expected = {
  type: string
  /** Zeros and empty texts mean absent, as on the wire. */
  value: Record<string, unknown>
  /** Sun. */
  feeLimit?: bigint
  /** Memo, hex. */
  data?: string
  permissionId?: number
}

/**
 * Compares the bytes that the client will sign with its request. The client does not sign the JSON that the node returns
 * with the bytes, so that JSON is not compared.
 *
 * @returns the transaction with its JSON printed from those bytes.
 * @throws UpstreamError when they differ, or when the id does not belong to them.
 */
export function verified(
  transaction: Transaction | undefined,
  { data = '', feeLimit = 0n, permissionId = 0, type, value }: Expected,
): Transaction {
  const hex = transaction?.raw_data_hex
  if (!hex) throw new UpstreamError('the upstream node did not build a transaction')
  if (transactionId(hex) !== transaction.txID) throw mismatch('txID')
  const raw_data = decode(hex)
  const [contract, ...others] = raw_data.contract ?? []
  if (contract?.type !== type || others.length > 0) throw mismatch('contract')
  for (const [name, wanted] of Object.entries(value))
    if (!matches(contract.parameter?.value?.[name], wanted)) throw mismatch(name)
  if (!matches(raw_data.fee_limit, feeLimit)) throw mismatch('fee_limit')
  if (!matches(raw_data.data, data)) throw mismatch('data')
  if (!matches(contract.Permission_id, permissionId)) throw mismatch('Permission_id')
  return { ...transaction, raw_data }
}

/** Waits for a node's builder, and throws its refusal as `refusalOf` does. */
export async function asInvalidRequest<result>(call: Promise<result>): Promise<result> {
  return call.catch((error: unknown) => {
    throw error instanceof NodeRefusedError ? refusalOf(error.reason, error) : error
  })
}

/**
 * A refusal of a node's builder with the code of the node's own JSON-RPC: `-32600`, with the node's message. A lack of coins
 * is the error that `eth_sendRawTransaction` has for it.
 */
export function refusalOf(reason: string, cause?: unknown): RpcError {
  return LACKS_FUNDS.test(reason)
    ? new RpcError(-32000, `${INSUFFICIENT_FUNDS}: ${reason}`, { cause })
    : new RpcError(-32600, reason, { cause })
}

function decode(hex: string): Transaction['raw_data'] {
  try {
    return rawDataToJson(Buffer.from(hex, 'hex'))
  } catch {
    throw mismatch('raw_data_hex')
  }
}

function matches(actual: unknown, wanted: unknown): boolean {
  if (typeof wanted === 'object' && wanted !== null)
    return Object.entries(wanted).every(([name, part]) =>
      matches((actual as Record<string, unknown> | undefined)?.[name], part),
    )
  return isDeepStrictEqual(plain(actual), plain(wanted))
}

/** Absent, zero and empty are the same on the wire; int64 may be a number or a bigint. */
function plain(value: unknown): unknown {
  if (value === undefined || value === '' || value === 0 || value === 0n) return undefined
  return typeof value === 'bigint' || typeof value === 'number' ? String(value) : value
}

function mismatch(field: string): UpstreamError {
  return new UpstreamError(
    `the upstream node built a different transaction than requested (${field} differs)`,
  )
}
