import type { StateReader } from './state.ts'

/**
 * The balance of an account as Ethereum clients see it. Only the account that receives burned coins can have less than nothing, from
 * genesis on. An amount of JSON-RPC has no sign, so its balance is zero.
 */
export function balanceOf(state: StateReader, address: string): bigint {
  const balance = state.get('account', address)?.balance ?? 0n
  return balance > 0n ? balance : 0n
}
