import { toNativeAddress } from '../../../lib/address.ts'
import type { NativeClient } from '../../../native/client.ts'
import type { Transaction } from '../../../native/wire/types.ts'
import { asInvalidRequest, verified } from './checkBuilt.ts'
import { memoOf } from './memo.ts'
import type { AddressedRequest } from './request.ts'

/** Builds a transfer of coins to an account without code. */
export async function buildTransfer(
  request: AddressedRequest,
  native: NativeClient,
): Promise<Transaction> {
  const { from, permissionId, to, value: amount } = request
  const value = {
    owner_address: toNativeAddress(from),
    to_address: toNativeAddress(to),
    amount,
  }
  const { data, ...options } = memoOf(request)
  const built = await asInvalidRequest(native.wallet.createTransaction({ ...value, ...options }))
  return verified(built, { type: 'TransferContract', value, data, permissionId })
}
