import type { DevAccount } from './keys.ts'

/** The accounts for which `eth_sendTransaction` works. Addresses are 42 hex characters. */
export type Unlocked = ReturnType<typeof createUnlocked>

/** Creates the list with the chain's own accounts. */
export function createUnlocked(accounts: readonly DevAccount[]) {
  const keys = new Map(accounts.map(({ address, key }) => [address, key]))
  const impersonated = new Set<string>()
  let isEveryAccount = false

  return {
    keyOf: (address: string) => keys.get(address),
    /** Whether the account may send. */
    has: (address: string) => keys.has(address) || impersonated.has(address) || isEveryAccount,
    /** Whether transactions of the account need no signature of it. */
    isImpersonated: (address: string) => impersonated.has(address) || isEveryAccount,
    impersonate: (address: string) => void impersonated.add(address),
    stop: (address: string) => impersonated.delete(address),
    /** Whether every account may send. */
    impersonateAll: (on: boolean) => void (isEveryAccount = on),
    clear(): void {
      impersonated.clear()
      isEveryAccount = false
    },
  }
}
