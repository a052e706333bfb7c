import type { Address } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'

import type { Chain } from '../chain/blocks/chainTypes.ts'
import { MethodNotSupportedError, RpcError } from '../lib/errors.ts'
import type { Spender } from '../lib/spender.ts'
import type { PrivateKey } from '../native/protobuf/signature.ts'
import { unknownAccountError } from './refusals.ts'
import type { Sending } from './sending.ts'

type Needs = {
  /** The call that asks for a signature. */
  call: { caller?: { spender?: Spender | undefined } | undefined }
  sending: Pick<Sending, 'keys'>
}

/**
 * The viem account of a managed key, for Ethereum signatures.
 *
 * @throws MethodNotSupportedError when the gateway manages no keys; RpcError `-32000` when it manages other keys, or the caller
 * may not use this one.
 */
export function managedAccount(method: string, account: Address, needs: Needs): PrivateKeyAccount {
  return privateKeyToAccount(`0x${assertManaged(method, account, needs).replace(/^0x/i, '')}`)
}

/** The key of a managed account. @throws as `managedAccount` */
export function assertManaged(
  method: string,
  account: Address,
  { call, sending: { keys } }: Needs,
): PrivateKey {
  if (keys.accounts.length === 0)
    throw new MethodNotSupportedError(method, 'the gateway manages no keys')
  const key = keys.keyOf(account)
  if (!key || call.caller?.spender?.mayUse(account) === false) throw unknownAccountError(account)
  return key
}

/** Checks the chain id of a request. @throws RpcError `-32000` when it is for another chain. */
export function assertChain(
  { chainId }: { chainId?: bigint },
  { chain }: { chain: Pick<Chain, 'id'> },
): void {
  if (chainId !== undefined && chainId !== BigInt(chain.id))
    throw new RpcError(-32000, `invalid chain id: have ${chainId} want ${chain.id}`)
}
