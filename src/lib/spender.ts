import type { Address } from 'viem'

/** What one caller may do with the managed accounts. */
export type Spender = {
  /** Whether the caller may use an account. */
  mayUse(account: Address): boolean
  /**
   * Counts what a transaction may cost at most, before it is signed.
   *
   * @param cost - sun; only called when it is counted.
   * @param once - the hash of a transaction that may be counted by several requests: the largest amount counts.
   * @throws RpcError when the caller may not spend as much today, or when it cannot be counted
   */
  spend(cost: () => Promise<bigint>, once?: string): Promise<void>
}
