import type { Address } from 'viem'

import { accountOfKey } from '../lib/accountOfKey.ts'
import { toRpcAddress } from '../lib/address.ts'
import type { PrivateKey } from '../native/protobuf/signature.ts'

/** The managed accounts. Only code that signs may call `keyOf`. */
export type ManagedKeys = {
  /** In the given order. */
  readonly accounts: readonly Address[]
  keyOf(account: Address): PrivateKey | undefined
}

/** Creates managed keys. @throws TypeError with the position, never the content, of an invalid key. */
export function createManagedKeys(keys: readonly PrivateKey[] = []): ManagedKeys {
  const byAccount = new Map<Address, PrivateKey>()
  for (const [index, key] of keys.entries())
    try {
      byAccount.set(toRpcAddress(accountOfKey(key)), key)
    } catch {
      throw notAKey(index)
    }
  return {
    accounts: [...byAccount.keys()],
    keyOf: (account) => byAccount.get(account.toLowerCase() as Address),
  }
}

/**
 * Private keys in a text: hex words separated by white space or commas, or a JSON array. A line that begins with `#` is a
 * comment.
 *
 * @throws TypeError with the position of an invalid key.
 */
export function parseKeys(text: string): PrivateKey[] {
  const words = text
    .replace(/^\s*#.*$/gm, '')
    .split(/[\s,[\]"]+/)
    .filter(Boolean)
  for (const [index, word] of words.entries()) if (!isKey(word)) throw notAKey(index)
  return words
}

function notAKey(index: number): TypeError {
  return new TypeError(`managed key ${index + 1} is not a private key (32 bytes of hex)`)
}

/** Whether a text is one private key in hex. */
export function isKey(text: string): boolean {
  return /^(?:0x)?[\da-f]{64}$/i.test(text)
}
