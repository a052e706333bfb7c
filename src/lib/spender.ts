import type { Address } from 'viem'

/** What one caller may do with the managed accounts. */
export type Spender = {
  /** Whether the caller may use an account. */
  mayUse(account: Address): boolean
  /**
   * Counts what a transaction may cost, before it is signed: its value and its fee limit.
   *
   * @param amount - sun
   * @throws RpcError when the caller may not spend as much today, or when it cannot be counted
   */
  spend(amount: bigint): Promise<void>
}
