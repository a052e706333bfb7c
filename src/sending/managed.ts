import type { Address } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'

import type { Chain } from '../chain/blocks/chainTypes.ts'
import { MethodNotSupportedError, RpcError } from '../lib/errors.ts'
import type { Spender } from '../lib/spender.ts'
import { unknownAccountError } from './refusals.ts'
import type { Sending } from './sending.ts'

/** The call that asks for a signature. */
type Asked = { caller?: { spender?: Spender | undefined } | undefined }

/**
 * The viem account of a managed key, for Ethereum signatures.
 *
 * @throws MethodNotSupportedError when the gateway manages no keys; RpcError `-32000` when it manages other keys, or the caller
 * may not use this one.
 */
export function managedAccount(
  method: string,
  account: Address,
  services: { call: Asked; sending: Pick<Sending, 'keys'> },
): PrivateKeyAccount {
  const { sending } = services
  assertManaged(method, account, services)
  // It exists: the line before has asked for it.
  const key = sending.keys.keyOf(account) as string
  return privateKeyToAccount(`0x${key.replace(/^0x/i, '')}`)
}

/** @throws as `managedAccount` */
export function assertManaged(
  method: string,
  account: Address,
  { call, sending }: { call: Asked; sending: Pick<Sending, 'keys'> },
): void {
  if (sending.keys.accounts.length === 0)
    throw new MethodNotSupportedError(method, 'the gateway manages no keys')
  if (!sending.keys.keyOf(account) || call.caller?.spender?.mayUse(account) === false)
    throw unknownAccountError(account)
}

/** Checks the chain id of a request. @throws RpcError `-32000` when it is for another chain. */
export function assertChain(
  { chainId }: { chainId?: bigint },
  { chain }: { chain: Pick<Chain, 'id'> },
): void {
  if (chainId !== undefined && chainId !== BigInt(chain.id))
    throw new RpcError(-32000, `invalid chain id: have ${chainId} want ${chain.id}`)
}
