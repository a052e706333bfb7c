import { LRUCache } from 'lru-cache'
import type { Address, Hash } from 'viem'

import { StoreUnavailableError } from '../lib/redis.ts'
import type { SentCounts, SentStore, SentTransaction } from './sentStore.ts'

/** Maximum number of accounts whose last counts are kept, and of bytes of the last transactions. */
const MAX_ACCOUNTS = 10_000
const MAX_BYTES = 16 * 1024 * 1024

/** Bytes of a transaction beside its signed bytes, roughly. */
const OVERHEAD = 1_000

/** Milliseconds after its expiration for which a transaction may still not be in a solidified block: the chain may stand. */
const GRACE = 10 * 60_000

/**
 * A store that can be read while Redis is unavailable: it then returns the last answer that this process saw, or nothing.
 * Transactions cannot be sent meanwhile, so an old nonce is never used.
 *
 * A Redis that crashed may have lost its last second, and a failover what was not copied. A transaction that this process has
 * recorded, and that Redis has neither as sent nor as ended, is recorded again: otherwise it could be signed a second time.
 */
export function withLastKnown(store: SentStore, now = Date.now): SentStore {
  const counts = new LRUCache<Address, SentCounts>({ max: MAX_ACCOUNTS })
  const found = new LRUCache<Hash, SentTransaction>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ hex = '' }) => hex.length + OVERHEAD,
  })

  function record(sent: SentTransaction): void {
    found.set(sent.id, sent)
    if (sent.alias) found.set(sent.alias, sent)
  }

  /** Records a transaction again that Redis has lost. */
  async function restore(lost: SentTransaction): Promise<SentTransaction | undefined> {
    const { block: _, broadcasts: __, nonce: ___, state, ...sent } = lost
    if (state === 'final' || lost.expiration + GRACE < now()) return undefined
    if (await store.ending(lost.id)) return undefined
    await store.reserve(sent)
    // Its first broadcast was before.
    return (await store.change(lost.id, { event: 'broadcast' })).sent
  }

  return {
    ...store,
    async reserve(sent) {
      const reservation = await store.reserve(sent)
      if (reservation.outcome === 'reserved')
        record({ ...sent, nonce: reservation.nonce, state: 'pending', broadcasts: 1 })
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
    unfinished: (options) =>
      store.unfinished(options).catch((error: unknown) => fallback(error, [])),
    async find(hash) {
      const known = found.get(hash)
      try {
        const sent = (await store.find(hash)) ?? (known && (await restore(known)))
        if (sent) record(sent)
        else found.delete(hash)
        return sent
      } catch (error) {
        return fallback(error, known)
      }
    },
  }
}

function fallback<value>(error: unknown, value: value): value {
  if (error instanceof StoreUnavailableError) return value
  throw error
}
