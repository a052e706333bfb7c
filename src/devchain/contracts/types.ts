import type { TransactionInfo } from '../../native/types.ts'
import { invalid } from '../errors.ts'
import { newAccount } from '../model.ts'
import type { Account } from '../model.ts'
import { parameter } from '../parameters.ts'
import type { State } from '../state.ts'

/** What a contract sees while it is checked and executed. */
export type Execution = {
  state: State
  value: Readonly<Record<string, unknown>>
  owner: string
  /** Milliseconds of the newest block: the chain's own clock. */
  now: number
  slot: bigint
  transactionId: string
  /** Whether a builder asks, which reckons with the size of the transaction to come. */
  building?: boolean
}

/** What an execution adds to the transaction's record. `fee` (sun) was taken by it already. */
type Outcome = {
  fee?: bigint
  info?: Partial<TransactionInfo>
}

/** One contract type: `validate` refuses by throwing RefusedError, `execute` changes the state. */
export type ContractType = {
  validate(execution: Execution): void
  execute(execution: Execution): Outcome
}

/** An int64 member; absent is 0. */
export function int(value: Readonly<Record<string, unknown>>, name: string): bigint {
  return BigInt((value[name] as number | bigint | undefined) ?? 0)
}

/** A bytes member as hex; absent is empty. */
export function hex(value: Readonly<Record<string, unknown>>, name: string): string {
  return (value[name] as string | undefined) ?? ''
}

export const isAddress = (address: string) => /^41[\da-f]{40}$/.test(address)

/** The address as refusals show it. */
export const readable = (address: string) => address

/** The account that owns the contract. @throws RefusedError */
export function ownerAccount(
  { state, owner }: Execution,
  invalidText = 'Invalid address',
  missing = (address: string) => `Account[${readable(address)}] not exists`,
): Account {
  if (!isAddress(owner)) invalid(invalidText)
  return state.get('account', owner) ?? invalid(missing(owner))
}

/** Changes an account that exists. */
export function updateAccount(
  state: State,
  address: string,
  change: (account: Account) => Partial<Account>,
): void {
  const account = state.get('account', address)
  if (!account) throw new Error(`account ${address} does not exist`)
  state.set('account', address, { ...account, ...change(account) })
}

/** Adds coins (negative: takes them) without a check; validation made sure that they are there. */
export function addBalance(state: State, address: string, sun: bigint): void {
  updateAccount(state, address, ({ balance }) => ({ balance: balance + sun }))
}

/** Takes a fee from an account: it is burnt. */
export function burn(state: State, address: string, sun: bigint): void {
  if (sun === 0n) return
  addBalance(state, address, -sun)
  addProperty(state, 'burned', sun)
}

export function addProperty(state: State, name: string, amount: bigint): void {
  state.set('property', name, (state.get('property', name) ?? 0n) + amount)
}

/** Makes sure that a receiver exists. Returns the fee that creating it costs in a native transfer. */
export function createReceiver({ state, now }: Execution, address: string): bigint {
  if (state.get('account', address)) return 0n
  state.set('account', address, newAccount(address, 'Normal', now))
  return parameter(state, 'getCreateNewAccountFeeInSystemContract')
}

export const withAsset = (
  account: Account,
  id: string,
  amount: bigint,
): Pick<Account, 'assets'> => ({
  assets: { ...account.assets, [id]: (account.assets[id] ?? 0n) + amount },
})
