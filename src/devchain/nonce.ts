import type { State, StateReader } from './state.ts'

/**
 * The nonce of an account as Ethereum counts: how many Ethereum transactions it has sent, of a contract one more than the
 * contracts that it created. Native transactions have no nonce and do not count.
 */
export function nonceOf(state: StateReader, address: string): bigint {
  return state.get('nonce', address) ?? (state.get('contract', address) ? 1n : 0n)
}

/** Counts one more. */
export function countNonce(state: State, address: string): void {
  state.set('nonce', address, nonceOf(state, address) + 1n)
}
