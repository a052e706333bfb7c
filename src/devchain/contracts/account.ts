import { invalid, RefusedError } from '../state/errors.ts'
import { newAccount } from '../state/model.ts'
import { parameter } from '../state/parameters.ts'
import { MAX_KEYS } from '../transactions/permissions.ts'
import { permissionRecord } from './records.ts'
import type { ContractType, Json } from './types.ts'
import { burn, hex, int, isAddress, list, ownerAccount, updateAccount } from './types.ts'

const bytesOf = (value: string) => value.length / 2

/** AccountCreateContract: an account without coins. */
export const AccountCreateContract: ContractType = {
  validate(execution) {
    const { state, value } = execution
    const owner = ownerAccount(execution, 'Invalid ownerAddress')
    if (owner.balance < parameter(state, 'getCreateNewAccountFeeInSystemContract'))
      invalid('Validate CreateAccountActuator error, insufficient fee.')
    const address = hex(value, 'account_address')
    if (!isAddress(address)) invalid('Invalid account address')
    if (state.get('account', address)) invalid('Account has existed')
  },
  execute({ state, value, owner, now }) {
    const address = hex(value, 'account_address')
    state.set('account', address, newAccount(address, 'Normal', now))
    const fee = parameter(state, 'getCreateNewAccountFeeInSystemContract')
    burn(state, owner, fee)
    return { fee }
  },
}

/** AccountUpdateContract: sets the name, once unless the chain allows more. */
export const AccountUpdateContract: ContractType = {
  validate(execution) {
    const { state, value } = execution
    const name = hex(value, 'account_name')
    if (bytesOf(name) > 200) invalid('Invalid accountName')
    const account = ownerAccount(execution, 'Invalid ownerAddress', () => 'Account does not exist')
    if (parameter(state, 'getAllowUpdateAccountName') === 1n) return
    if (account.name !== '') invalid('This account name is already existed')
    if (state.get('property', `name:${name}`)) invalid('This name is existed')
  },
  execute({ state, value, owner }) {
    const name = hex(value, 'account_name')
    updateAccount(state, owner, () => ({ name }))
    state.set('property', `name:${name}`, 1n)
  },
}

/** SetAccountIdContract: sets an id of 8 to 32 printable characters, once. Lookups ignore the case. */
export const SetAccountIdContract: ContractType = {
  validate(execution) {
    const { state, value } = execution
    const id = Buffer.from(hex(value, 'account_id'), 'hex')
    const readableBytes = id.every((byte) => byte >= 0x21 && byte <= 0x7e)
    if (id.length < 8 || id.length > 32 || !readableBytes) invalid('Invalid accountId')
    const account = ownerAccount(execution, 'Invalid ownerAddress', () => 'Account has not existed')
    if (account.accountId) invalid('This account id already set')
    if (state.get('accountId', id.toString().toLowerCase())) invalid('This id has existed')
  },
  execute({ state, value, owner }) {
    const accountId = hex(value, 'account_id')
    updateAccount(state, owner, () => ({ accountId }))
    state.set('accountId', Buffer.from(accountId, 'hex').toString().toLowerCase(), owner)
  },
}

const MAX_ACTIVE = 8

/** The contract types of the chain, one bit each. */
const AVAILABLE = Buffer.from('7fff1fc0037efb0f'.padEnd(64, '0'), 'hex')

const text = (json: Json, name: string) => (json[name] as string | undefined) ?? ''

const typeOf = (permission: Json) => (permission['type'] as string | undefined) ?? 'Owner'

function checkPermission(permission: Json): void {
  const keys = list(permission, 'keys')
  const type = typeOf(permission)
  const threshold = int(permission, 'threshold')
  if (keys.length > MAX_KEYS)
    invalid(`number of keys in permission should not be greater than ${MAX_KEYS}`)
  if (keys.length === 0) invalid("key's count should be greater than 0")
  if (type === 'Witness' && keys.length !== 1) invalid("Witness permission's key count should be 1")
  if (threshold <= 0n) invalid("permission's threshold should be greater than 0")
  if (text(permission, 'permission_name').length > 32) invalid("permission's name is too long")
  if (int(permission, 'parent_id') !== 0n) invalid("permission's parent should be owner")
  if (new Set(keys.map((key) => key['address'])).size !== keys.length)
    invalid(`address should be distinct in permission ${type}`)
  let sum = 0n
  for (const key of keys) {
    if (!isAddress(hex(key, 'address'))) invalid('key is not a validate address')
    if (int(key, 'weight') <= 0n) invalid("key's weight should be greater than 0")
    sum += int(key, 'weight')
  }
  if (sum < threshold)
    invalid(`sum of all key's weight should not be less than threshold in permission ${type}`)
  const operations = Buffer.from(hex(permission, 'operations'), 'hex')
  if (type !== 'Active') {
    if (operations.length > 0) invalid(`${type} permission needn't operations`)
    return
  }
  if (operations.length !== 32) invalid('operations size must 32')
  for (let bit = 0; bit < 256; bit++) {
    const mask = 1 << (bit & 7)
    if ((operations[bit >> 3] ?? 0) & mask & ~(AVAILABLE[bit >> 3] ?? 0))
      invalid(`${bit} isn't a validate ContractType`)
  }
}

/** AccountPermissionUpdateContract: sets the keys of an account and the contract types that they may sign. */
export const AccountPermissionUpdateContract: ContractType = {
  validate(execution) {
    const { value } = execution
    const account = ownerAccount(
      execution,
      'invalidate ownerAddress',
      () => 'ownerAddress account does not exist',
    )
    const owner = (value['owner'] as Json | undefined) ?? invalid('owner permission is missed')
    const witness = value['witness'] as Json | undefined
    const actives = list(value, 'actives')
    if (account.isWitness && !witness) invalid('witness permission is missed')
    if (!account.isWitness && witness) invalid("account isn't witness can't set witness permission")
    if (actives.length === 0) invalid('active permission is missed')
    if (actives.length > MAX_ACTIVE) invalid('active permission is too many')
    if (typeOf(owner) !== 'Owner') invalid('owner permission type is error')
    checkPermission(owner)
    if (witness) {
      if (typeOf(witness) !== 'Witness') invalid('witness permission type is error')
      checkPermission(witness)
    }
    for (const active of actives) {
      if (typeOf(active) !== 'Active') invalid('active permission type is error')
      checkPermission(active)
    }
  },
  execute({ state, value, owner }) {
    const fee = parameter(state, 'getUpdateAccountPermissionFee')
    const { balance } = state.get('account', owner) as { balance: bigint }
    if (balance < fee)
      throw new RefusedError(
        'CONTRACT_EXE_ERROR',
        `${owner} insufficient balance, balance: ${balance}, amount: ${fee}`,
      )
    const witness = value['witness'] as Json | undefined
    updateAccount(state, owner, () => ({
      owner: { ...permissionRecord.read(value['owner']), id: 0 },
      ...(witness && { witness: { ...permissionRecord.read(witness), id: 1 } }),
      active: list(value, 'actives').map((json, index) => ({
        ...permissionRecord.read(json),
        id: index + 2,
      })),
    }))
    burn(state, owner, fee)
    return { fee }
  },
}
