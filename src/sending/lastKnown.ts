import { LRUCache } from 'lru-cache'
import type { Address, Hash } from 'viem'

import { StoreUnavailableError } from '../lib/redis.ts'
import type { SentCounts, SentStore, SentTransaction } from './sentStore.ts'

/** Maximum number of accounts and hashes whose last answers are kept. */
const MAX_ENTRIES = 10_000

/**
 * A store that can be read while Redis is unavailable: it then returns the last answer that this process saw, or nothing.
 * Transactions cannot be sent meanwhile, so an old nonce is never used.
 */
export function withLastKnown(store: SentStore): SentStore {
  const counts = new LRUCache<Address, SentCounts>({ max: MAX_ENTRIES })
  const found = new LRUCache<Hash, SentTransaction>({ max: MAX_ENTRIES })

  function record(sent: SentTransaction): void {
    found.set(sent.id, sent)
    if (sent.alias) found.set(sent.alias, sent)
  }

  return {
    ...store,
    async reserve(sent) {
      const reservation = await store.reserve(sent)
      if (reservation.outcome === 'reserved') record({ ...sent, nonce: reservation.nonce })
      return reservation
    },
    async counts(from) {
      try {
        const answer = await store.counts(from)
        counts.set(from, answer)
        return answer
      } catch (error) {
        return fallback(error, counts.get(from) ?? { mined: 0, next: 0 })
      }
    },
    pending: (options) => store.pending(options).catch((error: unknown) => fallback(error, [])),
    async find(hash) {
      try {
        const sent = await store.find(hash)
        if (sent) record(sent)
        else found.delete(hash)
        return sent
      } catch (error) {
        return fallback(error, found.get(hash))
      }
    },
  }
}

function fallback<value>(error: unknown, value: value): value {
  if (error instanceof StoreUnavailableError) return value
  throw error
}
