import type { Hardfork } from './hardforks.ts'
import { type ContractRecord, newAccount } from './model.ts'
import { nonceOf } from './nonce.ts'
import type { State, StateReader } from './state.ts'

/**
 * Whether no contract can be created at an address: it already has a contract, or on Ethereum an account with a nonce
 * (EIP-684).
 */
export const isTaken = (state: StateReader, address: string, hardfork: Hardfork | undefined) =>
  state.get('account', address)?.type === 'Contract' ||
  (hardfork !== undefined && nonceOf(state, address) > 0n)

/**
 * Records a new contract. Its nonce starts at 1 (EIP-161), even if a tool has set another nonce for the address.
 *
 * @param name - Name of the account if it does not exist yet, hex.
 */
export function recordCreated(state: State, record: ContractRecord, name = ''): void {
  const { address } = record
  const account = state.get('account', address) ?? newAccount(address, 'Contract', 0, name)
  state.set('account', address, { ...account, type: 'Contract' })
  state.set('contract', address, record)
  state.set('nonce', address, undefined)
}
