import { toNativeAddress } from '../../../lib/address.ts'
import { RpcError } from '../../../lib/errors.ts'
import type { NativeClient } from '../../../native/client.ts'
import { decodeMessage, isHidden } from '../../../native/errors.ts'
import { shownText } from '../../../native/shownText.ts'
import type { Transaction } from '../../../native/wire/types.ts'
import { asInvalidRequest, refusalOf, verified } from './checkBuilt.ts'
import type { AddressedRequest } from './request.ts'

const REFUSED = 'the upstream node refused the contract call'

/**
 * Builds a contract call. If the contract's ABI marks the function as constant, the node executes it while it builds, and
 * refuses a call that fails.
 *
 * @param feeLimit - sun.
 */
export async function buildTrigger(
  request: AddressedRequest,
  native: NativeClient,
  feeLimit: bigint,
): Promise<Transaction> {
  const { data, from, permissionId, to, tokenId, tokenValue, value: call_value } = request
  const value = {
    owner_address: toNativeAddress(from),
    contract_address: toNativeAddress(to),
    data: data.slice(2),
    call_value,
    call_token_value: tokenValue,
    token_id: tokenId,
  }
  const { result, transaction } = await asInvalidRequest(
    native.wallet.triggerSmartContract({
      ...value,
      fee_limit: feeLimit,
      ...(permissionId !== 0 && { Permission_id: permissionId }),
    }),
  )
  if (result?.code) {
    const words = decodeMessage(result.message ?? '')
    const reason = shownText(isHidden(words) ? '' : words, REFUSED)
    throw result.code === 'CONTRACT_VALIDATE_ERROR'
      ? refusalOf(reason)
      : new RpcError(-32000, reason)
  }
  return verified(transaction, { type: 'TriggerSmartContract', value, feeLimit, permissionId })
}
