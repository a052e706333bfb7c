import type { Address } from 'viem'

import { type HexAddress, toRpcAddress } from '../lib/address.ts'
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
    throw invalidSender('the transaction has no owner')
  const count = transaction.signature?.length ?? 0
  if (count === 0) throw invalidSender('the transaction is not signed')
  const id = contract?.Permission_id ?? 0
  const { keys = [], threshold = 1 } = await permissionOf(owner, id, native)
  const named = `permission ${id} of ${toRpcAddress(owner)}`
  // The node checks this too, before it recovers a key.
  if (count > keys.length)
    throw invalidSender(`${count} signatures, ${named} has ${keys.length} keys`)
  const weights = new Map(keys.map(({ address, weight }) => [address, BigInt(weight)]))
  let weight = 0n
  for (const signer of new Set(signersOf(transaction))) {
    const own = weights.get(signer)
    if (own === undefined)
      throw invalidSender(`signed by ${toRpcAddress(signer)}, which is not a key of ${named}`)
    weight += own
  }
  if (weight < BigInt(threshold))
    throw invalidSender(`the signatures weigh ${weight}, permission ${id} needs ${threshold}`)
  return toRpcAddress(owner)
}

function invalidSender(why: string, cause?: unknown): RpcError {
  return new RpcError(-32000, `invalid sender: ${why}`, { cause })
}

function signersOf(transaction: Transaction): HexAddress[] {
  try {
    return recoverSigners(transaction)
  } catch (cause) {
    throw invalidSender((cause as Error).message, cause)
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
  const named =
    (id === 0 && account?.owner_permission) || actives.find((permission) => permission.id === id)
  if (named) return named
  if (id === 0 || (id === 2 && actives.length === 0))
    return { keys: [{ address: owner, weight: 1 }] }
  throw invalidSender(`${toRpcAddress(owner)} has no permission ${id}`)
}
