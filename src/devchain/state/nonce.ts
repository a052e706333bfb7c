import type { State, StateReader } from './state.ts'

/**
 * The Ethereum nonce of an account: the number of Ethereum transactions that it has sent; of a contract one more than the
 * number of contracts that it created. Native transactions have no nonce and do not count.
 */
export function nonceOf(state: StateReader, address: string): bigint {
  return state.get('nonce', address) ?? (state.get('contract', address) ? 1n : 0n)
}

/** Increases a nonce by one. */
export function countNonce(state: State, address: string): void {
  state.set('nonce', address, nonceOf(state, address) + 1n)
}
