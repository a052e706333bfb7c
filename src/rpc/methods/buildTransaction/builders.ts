import { toNativeAddress } from '../../../lib/address.ts'
import { RpcError } from '../../../lib/errors.ts'
import type { NativeClient } from '../../../native/client.ts'
import { decodeMessage, isHidden } from '../../../native/errors.ts'
import { shownText } from '../../../native/shownText.ts'
import type { Transaction } from '../../../native/wire/types.ts'
import { asInvalidRequest, refusalOf, verified } from './checkBuilt.ts'
import type { AddressedRequest, BuildRequest } from './request.ts'

/** Builds a transfer of coins to an account without code. */
export async function buildTransfer(
  request: AddressedRequest,
  { wallet }: NativeClient,
): Promise<Transaction> {
  const { permissionId, value: amount } = request
  const value = { ...partiesOf(request), amount }
  const { data, ...options } = memoOf(request)
  const built = await asInvalidRequest(wallet.createTransaction({ ...value, ...options }))
  return verified(built, { type: 'TransferContract', value, data, permissionId })
}

/** Builds a transfer of native tokens. The token is identified by its number. */
export async function buildTransferAsset(
  request: AddressedRequest,
  { wallet }: NativeClient,
): Promise<Transaction> {
  const { permissionId, tokenId, tokenValue: amount } = request
  // On the wire the number is decimal text.
  const asset_name = Buffer.from(tokenId.toString()).toString('hex')
  const value = { ...partiesOf(request), asset_name, amount }
  const { data, ...options } = memoOf(request)
  const built = await asInvalidRequest(wallet.transferAsset({ ...value, ...options }))
  return verified(built, { type: 'TransferAssetContract', value, data, permissionId })
}

const partiesOf = ({ from, to }: AddressedRequest) => ({
  owner_address: toNativeAddress(from),
  to_address: toNativeAddress(to),
})

const REFUSED = 'the upstream node refused the contract call'

/**
 * Builds a contract call. If the contract's ABI marks the function as constant, the node executes it while it builds, and
 * refuses a call that fails.
 *
 * @param feeLimit - sun.
 */
export async function buildTrigger(
  request: AddressedRequest,
  { wallet }: NativeClient,
  feeLimit: bigint,
): Promise<Transaction> {
  const { data, from, permissionId, to, value: call_value } = request
  const value = {
    owner_address: toNativeAddress(from),
    contract_address: toNativeAddress(to),
    data: data.slice(2),
    call_value,
    ...tokensOf(request),
  }
  const { result, transaction } = await asInvalidRequest(
    wallet.triggerSmartContract({ ...value, fee_limit: feeLimit, ...permissionOf(request) }),
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

/**
 * Builds the creation of a contract. The chain stores its ABI and name.
 *
 * @param feeLimit - sun.
 */
export async function buildCreate(
  request: BuildRequest,
  { wallet }: NativeClient,
  feeLimit: bigint,
): Promise<Transaction> {
  const { abi, data, from, name, permissionId, value: call_value } = request
  const owner_address = toNativeAddress(from)
  const contract = {
    bytecode: data.slice(2),
    call_value,
    consume_user_resource_percent: Number(request.consumeUserResourcePercent),
    name,
    origin_energy_limit: request.originEnergyLimit,
  }
  const terms = { ...tokensOf(request), fee_limit: feeLimit, ...permissionOf(request) }
  const built = await asInvalidRequest(
    wallet.deployContract({ abi, owner_address, ...contract, ...terms }),
  )
  const new_contract = { ...contract, origin_address: owner_address }
  return verified(built, {
    type: 'CreateSmartContract',
    value: { owner_address, new_contract, ...tokensOf(request) },
    feeLimit,
    permissionId,
  })
}

const tokensOf = ({ tokenId, tokenValue }: BuildRequest) => ({
  call_token_value: tokenValue,
  token_id: tokenId,
})

const permissionOf = ({ permissionId }: BuildRequest): { Permission_id?: number } =>
  permissionId === 0 ? {} : { Permission_id: permissionId }

/** The memo as hex, and the options with which the node adds the memo and the permission to a transfer. */
export function memoOf(request: BuildRequest): {
  data: string
  extra_data?: string
  Permission_id?: number
} {
  const { extraData, visible } = request
  const data = visible ? Buffer.from(extraData).toString('hex') : extraData
  return { data, ...(data !== '' && { extra_data: data }), ...permissionOf(request) }
}
