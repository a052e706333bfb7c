import { toNativeAddress } from '../../../lib/address.ts'
import type { NativeClient } from '../../../native/client.ts'
import type { Transaction } from '../../../native/wire/types.ts'
import { asInvalidRequest, verified } from './checkBuilt.ts'
import { memoOf } from './memo.ts'
import type { AddressedRequest } from './request.ts'

/** Builds a transfer of native tokens. The token is identified by its number. */
export async function buildTransferAsset(
  request: AddressedRequest,
  native: NativeClient,
): Promise<Transaction> {
  const { from, permissionId, to, tokenId, tokenValue } = request
  const value = {
    owner_address: toNativeAddress(from),
    to_address: toNativeAddress(to),
    // On the wire the number is decimal text.
    asset_name: Buffer.from(tokenId.toString()).toString('hex'),
    amount: tokenValue,
  }
  const { data, ...options } = memoOf(request)
  const built = await asInvalidRequest(native.wallet.transferAsset({ ...value, ...options }))
  return verified(built, { type: 'TransferAssetContract', value, data, permissionId })
}
