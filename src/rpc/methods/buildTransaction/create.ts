import { toNativeAddress } from '../../../lib/address.ts'
import type { NativeClient } from '../../../native/client.ts'
import type { Transaction } from '../../../native/wire/types.ts'
import { asInvalidRequest, verified } from './checkBuilt.ts'
import type { BuildRequest } from './request.ts'

/**
 * Builds the creation of a contract. The chain stores its ABI and name.
 *
 * @param feeLimit - sun.
 */
export async function buildCreate(
  request: BuildRequest,
  native: NativeClient,
  feeLimit: bigint,
): Promise<Transaction> {
  const { abi, data, from, name, permissionId, tokenId, tokenValue, value: call_value } = request
  const owner_address = toNativeAddress(from)
  const terms = {
    call_value,
    consume_user_resource_percent: Number(request.consumeUserResourcePercent),
    name,
    origin_energy_limit: request.originEnergyLimit,
  }
  const tokens = { call_token_value: tokenValue, token_id: tokenId }
  const bytecode = data.slice(2)
  const built = await asInvalidRequest(
    native.wallet.deployContract({
      abi,
      bytecode,
      owner_address,
      ...terms,
      ...tokens,
      fee_limit: feeLimit,
      ...(permissionId !== 0 && { Permission_id: permissionId }),
    }),
  )
  const new_contract = { ...terms, bytecode, origin_address: owner_address }
  return verified(built, {
    type: 'CreateSmartContract',
    value: { owner_address, new_contract, ...tokens },
    feeLimit,
    permissionId,
  })
}
