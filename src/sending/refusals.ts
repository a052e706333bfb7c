import type { Address, Hex } from 'viem'

import { RpcError } from '../lib/errors.ts'

/** `-32000`: a nonce that is not the next one, with the message that Ethereum libraries recognise. */
export function nonceError(
  { next, outcome }: { next: number; outcome: 'low' | 'taken' | 'high' },
  nonce: number | undefined,
): RpcError {
  const text =
    outcome === 'taken'
      ? `replacement transaction underpriced: nonce ${nonce} is pending and cannot be replaced on this chain, next nonce ${next}`
      : `nonce too ${outcome}: next nonce ${next}, tx nonce ${nonce}`
  return new RpcError(-32000, text)
}

/** Texts of a node for an account that lacks coins. */
export const LACKS_FUNDS =
  /balance is not (?:sufficient|enough)|no OwnerAccount|account.* (?:not exist|does not exist)|insufficient/i

/** The error `-32000` for an account whose key the gateway does not manage. */
export function unknownAccountError(account: Address): RpcError {
  return new RpcError(-32000, `unknown account: the gateway does not manage the key of ${account}`)
}

/** Checks a size before decoding. @throws RpcError `-32000 oversized data` */
export function assertSize(raw: Hex, limit: number): void {
  const bytes = raw.length / 2 - 1
  if (bytes > limit)
    throw new RpcError(-32000, `oversized data: transaction size ${bytes}, limit ${limit}`)
}

/** `-32000`: an Ethereum signature of an account that is not managed. The message names the other ways to send. */
export function notManagedError(from: Address): RpcError {
  return new RpcError(
    -32000,
    `this chain cannot use the Ethereum signature of ${from}: it signs the SHA-256 of a protobuf message. ` +
      'Sign natively (ethgate/viem, ethgate/ethers, or buildTransaction and any native wallet), ' +
      'or let the gateway hold the key (--keys). See “Sending transactions” of the documentation',
  )
}
