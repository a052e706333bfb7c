import { LRUCache } from 'lru-cache'
import type { Hash } from 'viem'

/** Maximum number of hashes, about 300 bytes each. */
const MAX_ENDINGS = 10_000

/** How a transaction ended that is in no block. `at` and `expiration` in milliseconds. */
export type Ending = { id: Hash; alias?: Hash | undefined } & (
  | { state: 'refused'; reason: string }
  | { state: 'expired'; expiration: number }
)

/** The endings of transactions that this process sent: the store drops a transaction that frees its nonce. */
export type Endings = {
  add(ending: Ending): void
  /** By native id or by Ethereum hash. */
  find(hash: Hash): Ending | undefined
}

/** Creates an empty record of endings. */
export function createEndings(): Endings {
  const endings = new LRUCache<Hash, Ending>({ max: MAX_ENDINGS })
  return {
    add(ending) {
      endings.set(ending.id, ending)
      if (ending.alias) endings.set(ending.alias, ending)
    },
    find: (hash) => endings.get(hash),
  }
}
