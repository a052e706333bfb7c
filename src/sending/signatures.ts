import type { Address } from 'viem'

import { toRpcAddress } from '../lib/address.ts'
import type { HexAddress } from '../lib/address.ts'
import { RpcError } from '../lib/errors.ts'
import type { NativeClient } from '../native/client.ts'
import { recoverSigners } from '../native/protobuf/signature.ts'
import type { Permission } from '../native/wire/accountTypes.ts'
import type { Transaction } from '../native/wire/types.ts'

/**
 * Finds the owner of a native transaction. Checks its signatures against the permission that it names, so that a wrong
 * key is reported before the broadcast.
 *
 * @returns the account that the transaction belongs to.
 * @throws RpcError `-32000 invalid sender: …`
 */
export async function signedBy(transaction: Transaction, native: NativeClient): Promise<Address> {
  const [contract] = transaction.raw_data.contract ?? []
  const { owner_address, transparent_from_address } = contract?.parameter?.value ?? {}
  const owner = owner_address ?? transparent_from_address
  if (typeof owner !== 'string' || owner.length !== 42)
    throw new RpcError(-32000, 'invalid sender: the transaction has no owner')
  const count = transaction.signature?.length ?? 0
  if (count === 0) throw new RpcError(-32000, 'invalid sender: the transaction is not signed')
  const id = contract?.Permission_id ?? 0
  const permission = await permissionOf(owner, id, native)
  const keyCount = permission.keys?.length ?? 0
  // The node checks this too, before it recovers a key.
  if (count > keyCount)
    throw new RpcError(
      -32000,
      `invalid sender: ${count} signatures, permission ${id} of ${toRpcAddress(owner)} has ${keyCount} keys`,
    )
  const signers = signersOf(transaction)
  const weights = new Map(permission.keys?.map(({ address, weight }) => [address, BigInt(weight)]))
  const unknownSigner = signers.find((signer) => !weights.has(signer))
  if (unknownSigner)
    throw new RpcError(
      -32000,
      `invalid sender: signed by ${toRpcAddress(unknownSigner)}, which is not a key of permission ${id} of ${toRpcAddress(owner)}`,
    )
  const weight = [...new Set(signers)].reduce(
    (sum, signer) => sum + (weights.get(signer) ?? 0n),
    0n,
  )
  const threshold = BigInt(permission.threshold ?? 1)
  if (weight < threshold)
    throw new RpcError(
      -32000,
      `invalid sender: the signatures weigh ${weight}, permission ${id} needs ${threshold}`,
    )
  return toRpcAddress(owner)
}

function signersOf(transaction: Transaction): HexAddress[] {
  try {
    return recoverSigners(transaction)
  } catch (cause) {
    throw new RpcError(-32000, `invalid sender: ${(cause as Error).message}`, { cause })
  }
}

/** The permission that has to sign. By default an account is the only key of its owner and active permissions. */
async function permissionOf(
  owner: HexAddress,
  id: number,
  native: NativeClient,
): Promise<Pick<Permission, 'keys' | 'threshold'>> {
  const account = await native.wallet.getAccount({ address: owner })
  const actives = account?.active_permission ?? []
  if (id === 0 && account?.owner_permission) return account.owner_permission
  const active = actives.find((permission) => permission.id === id)
  if (active) return active
  if (id === 0 || (id === 2 && actives.length === 0))
    return { keys: [{ address: owner, weight: 1 }], threshold: 1 }
  throw new RpcError(-32000, `invalid sender: ${toRpcAddress(owner)} has no permission ${id}`)
}
