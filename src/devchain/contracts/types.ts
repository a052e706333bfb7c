import type { TransactionInfo } from '../../native/wire/types.ts'
import { invalid } from '../state/errors.ts'
import { type Account, newAccount } from '../state/model.ts'
import { parameter } from '../state/parameters.ts'
import type { State } from '../state/state.ts'

/** A message of the node's JSON. */
export type Json = Readonly<Record<string, unknown>>

/** The execution context of a native contract. */
export type Execution = {
  state: State
  value: Json
  owner: string
  /** Time of the newest block, milliseconds. */
  now: number
  slot: bigint
  transactionId: string
  /** Whether a builder runs the check. It includes the size of the future transaction. */
  building?: boolean
}

/** The fields that an execution adds to the transaction's record. The execution has already charged `fee` (sun). */
type Outcome = {
  fee?: bigint
  info?: Partial<TransactionInfo>
}

/** One contract type. `validate` throws RefusedError to reject a contract, `execute` changes the state. */
export type ContractType = {
  validate(execution: Execution): void
  execute(execution: Execution): Outcome | void
}

/** An int64 member; 0 if absent. */
export function int(value: Json, name: string): bigint {
  return BigInt((value[name] as number | bigint | undefined) ?? 0)
}

/** A bytes member as hex; empty if absent. */
export function hex(value: Json, name: string): string {
  return (value[name] as string | undefined) ?? ''
}

/** A repeated member; empty if absent. */
export function list(value: Json, name: string): readonly Json[] {
  return (value[name] as readonly Json[] | undefined) ?? []
}

/** Whether a text is an address: 42 hex characters that begin with `41`. */
export const isAddress = (address: string) => /^41[\da-f]{40}$/.test(address)

/** The account that owns the contract. @throws RefusedError */
export function ownerAccount(
  { state, owner }: Execution,
  invalidText = 'Invalid address',
  missing = (address: string) => `Account[${address}] not exists`,
): Account {
  if (!isAddress(owner)) invalid(invalidText)
  return state.get('account', owner) ?? invalid(missing(owner))
}

/** Changes an existing account. */
export function updateAccount(
  state: State,
  address: string,
  change: (account: Account) => Partial<Account>,
): void {
  const account = state.get('account', address)
  if (!account) throw new Error(`account ${address} does not exist`)
  state.set('account', address, { ...account, ...change(account) })
}

/** Adds coins to an account; a negative amount removes them. Does not check the balance, because validation did. */
export function addBalance(state: State, address: string, sun: bigint): void {
  updateAccount(state, address, ({ balance }) => ({ balance: balance + sun }))
}

/** Charges and burns a fee. */
export function burn(state: State, address: string, sun: bigint): void {
  if (sun === 0n) return
  addBalance(state, address, -sun)
  addProperty(state, 'burned', sun)
}

/** Adds to a counter of the chain. */
export function addProperty(state: State, name: string, amount: bigint): void {
  state.set('property', name, (state.get('property', name) ?? 0n) + amount)
}

/** Creates a receiver if it does not exist. Returns the fee for the creation in a native transfer. */
export function createReceiver(
  { state, now }: Pick<Execution, 'now' | 'state'>,
  address: string,
): bigint {
  if (state.get('account', address)) return 0n
  state.set('account', address, newAccount(address, 'Normal', now))
  return parameter(state, 'getCreateNewAccountFeeInSystemContract')
}

/** The tokens of an account after a change of one balance. A negative amount removes tokens. */
export const withAsset = (
  account: Account,
  id: string,
  amount: bigint,
): Pick<Account, 'assets'> => ({
  assets: { ...account.assets, [id]: (account.assets[id] ?? 0n) + amount },
})
