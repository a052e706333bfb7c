import { newAccount } from './model.ts'
import type { ContractRecord } from './model.ts'
import type { State } from './state.ts'

/**
 * Makes an address a contract that was just created. Its nonce begins with 1 (EIP-161), also where a tool has set another one.
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
