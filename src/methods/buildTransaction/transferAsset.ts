import { toNativeAddress } from '../../lib/address.ts'
import type { NativeClient } from '../../native/client.ts'
import type { Transaction } from '../../native/types.ts'
import { memoOf } from './memo.ts'
import type { BuildRequest } from './request.ts'
import { building, verified } from './verify.ts'

/** Native tokens, by the number of the token. */
export async function buildTransferAsset(
  request: BuildRequest & { to: NonNullable<BuildRequest['to']> },
  native: NativeClient,
): Promise<Transaction> {
  const { from, permissionId, to, tokenId, tokenValue } = request
  const value = {
    owner_address: toNativeAddress(from),
    to_address: toNativeAddress(to),
    // The chain keeps the number as text.
    asset_name: Buffer.from(tokenId.toString()).toString('hex'),
    amount: tokenValue,
  }
  const { data, ...options } = memoOf(request)
  const built = await building(native.wallet.transferAsset({ ...value, ...options }))
  return verified(built, { type: 'TransferAssetContract', value, data, permissionId })
}
