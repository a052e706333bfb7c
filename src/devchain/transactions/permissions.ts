import { toBase58 } from '../../lib/base58.ts'
import { Contract_ContractTypeSchema } from '../../native/protobuf/gen/transaction_pb.ts'
import { recoverHash } from '../../native/protobuf/signature.ts'
import { RefusedError } from '../state/errors.ts'
import { type Account, defaultPermissions, type Permission } from '../state/model.ts'
import type { StateReader } from '../state/state.ts'
import type { ChainTransaction } from './transaction.ts'

/** Maximum number of signatures of one transaction, and of keys of one permission. */
export const MAX_KEYS = 5

/** The number of each contract type, which is its bit in the operations of a permission. */
const CONTRACT_NUMBERS = new Map(
  Contract_ContractTypeSchema.values.map(({ name, number }) => [name, number]),
)

const refuse = (message: string): never => {
  throw new RefusedError('SIGERROR', message)
}

/** The permission of an account with an id. An unknown account has the permissions of a new one. */
export function permissionOf(
  state: StateReader,
  address: string,
  id: number,
): Permission | undefined {
  const account: Pick<Account, 'owner' | 'witness' | 'active'> =
    state.get('account', address) ?? defaultPermissions(address)
  if (id === 0) return account.owner ?? defaultPermissions(address).owner
  if (id === 1) return account.witness
  return account.active.find((permission) => permission.id === id)
}

const recoveredSigners = new Map<string, string>()

/** The signer of a hash. It is cached, because the pool and the block both need it. */
function signer(id: string, signature: string): string {
  const key = `${id}/${signature}`
  const known = recoveredSigners.get(key)
  if (known) return known
  if (recoveredSigners.size > 10_000) recoveredSigners.clear()
  const address = recoverHash(id, signature)
  recoveredSigners.set(key, address)
  return address
}

/**
 * Whether the signatures of a transaction reach the threshold of its permission.
 *
 * @throws RefusedError SIGERROR with the node's reason.
 */
export function checkSigners(state: StateReader, transaction: ChainTransaction): void {
  const { impersonated, signatures } = transaction
  if (impersonated) return
  if (signatures.length === 0 || transaction.contracts === 0) refuse('miss sig or contract')
  if (signatures.length > MAX_KEYS) refuse('too many signatures')
  const owner = (transaction.value['owner_address'] as string | undefined) ?? ''
  const permission =
    permissionOf(state, owner, transaction.permissionId) ?? refuse("permission isn't exit")
  checkOperation(permission, transaction)
  if (signatures.length > permission.keys.length)
    refuse(
      `Signature count is ${signatures.length} more than key counts of permission : ${permission.keys.length}`,
    )
  if (signWeight(permission, transaction).weight < permission.threshold) refuse('sig error')
}

/** The keys of a permission that have signed, and their total weight. @throws RefusedError SIGERROR */
export function signWeight(
  permission: Permission,
  transaction: ChainTransaction,
): { weight: bigint; signers: string[] } {
  const signers: string[] = []
  let weight = 0n
  for (const signature of transaction.signatures) {
    if (signature.length < 130) refuse(`Signature size is ${signature.length / 2}`)
    const address = recover(transaction.id, signature)
    const key = permission.keys.find((key) => key.address === address)
    if (!key)
      refuse(
        `${signature} is signed by ${toBase58(address)} but it is not contained of permission.`,
      )
    if (signers.includes(address)) refuse(`${toBase58(address)} has signed twice!`)
    signers.push(address)
    weight += (key as { weight: bigint }).weight
  }
  return { weight, signers }
}

function recover(id: string, signature: string): string {
  try {
    return signer(id, signature)
  } catch {
    return refuse('Header byte out of range: 0')
  }
}

function checkOperation(permission: Permission, transaction: ChainTransaction): void {
  if (transaction.permissionId === 0) return
  if (permission.type !== 'Active') refuse('Permission type is error')
  const number = CONTRACT_NUMBERS.get(transaction.type) ?? 0
  const operations = Buffer.from(permission.operations ?? '', 'hex')
  if (((operations[number >> 3] ?? 0) & (1 << (number & 7))) === 0) refuse('Permission denied')
}
