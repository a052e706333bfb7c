import { LRUCache } from 'lru-cache'
import type { Address } from 'viem'

import { type RedisLink, StoreUnavailableError } from '../lib/redis.ts'
import {
  firstRecord,
  hashesOf,
  type SentCounts,
  type SentStore,
  type SentTransaction,
} from './sentStore.ts'

/**
 * Maximum number of accounts whose last counts are kept, and of bytes of the last transactions: each counts for all of the three keys that
 * find it.
 */
const MAX_ACCOUNTS = 10_000
const MAX_BYTES = 3 * 16 * 1024 * 1024

/** Bytes of a transaction beside its signed bytes, roughly. */
const OVERHEAD = 1_000

/** Milliseconds after its expiration for which a transaction may still not be in a solidified block: the chain may stand. */
const GRACE = 10 * 60_000

/**
 * A store that can be read while Redis is unavailable: it then returns the last answer that this process saw, or nothing.
 * Transactions cannot be sent meanwhile, so an old nonce is never used.
 *
 * A Redis that crashed may have lost its last second, and a failover what was not copied. A transaction that this process has
 * recorded, and that Redis has neither as sent nor as ended, is recorded again, at once when Redis is there again: otherwise it could be
 * signed a second time, here or at another replica, or its nonce given to another one.
 */
export function withLastKnown(
  store: SentStore,
  onStatus: RedisLink['onStatus'],
  now = Date.now,
): SentStore {
  const counts = new LRUCache<Address, SentCounts>({ max: MAX_ACCOUNTS })
  /** By native id, by Ethereum hash, and by sender and nonce. */
  const found = new LRUCache<string, SentTransaction>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ hex = '' }) => hex.length + OVERHEAD,
  })
  const placeOf = ({ from, nonce }: SentTransaction) => `${from} ${nonce}`

  function record(sent: SentTransaction): void {
    for (const key of [...hashesOf(sent), placeOf(sent)]) found.set(key, sent)
  }

  /** Whether Redis has lost a transaction that can still be mined or removed. */
  const isLost = async ({ expiration, id, state }: SentTransaction): Promise<boolean> =>
    state !== 'final' &&
    expiration + GRACE >= now() &&
    !(await store.find(id)) &&
    !(await store.ending(id))

  /** Records a transaction again that Redis has lost. */
  async function restore(lost: SentTransaction): Promise<SentTransaction | undefined> {
    if (!(await isLost(lost))) return undefined
    const { block: _, broadcasts: __, nonce: ___, state: ____, ...sent } = lost
    await store.reserve(sent)
    // Its first broadcast was before.
    return (await store.change(lost.id, { event: 'broadcast' })).sent
  }

  /** In the order of their nonces, so that each has its own again. */
  async function restoreAll(): Promise<void> {
    const known = [...new Set(found.values())]
    const lost = await Promise.all(known.map(async (sent) => ((await isLost(sent)) ? sent : [])))
    for (const sent of lost.flat().toSorted((a, b) => a.nonce - b.nonce)) await restore(sent)
  }

  // If it is lost again meanwhile, there is a next time.
  onStatus((status) => status === 'up' && void restoreAll().catch(() => {}))

  return {
    ...store,
    async reserve(sent) {
      for (;;) {
        const reservation = await store.reserve(sent)
        if (reservation.outcome !== 'reserved') return reservation
        const reserved = firstRecord(sent, reservation.nonce)
        const holder = found.get(placeOf(reserved))
        if (!holder || holder.id === sent.id || !(await isLost(holder))) {
          record(reserved)
          return reservation
        }
        await store.change(sent.id, { event: 'refused', why: NONCE_LOST })
        await restore(holder)
      }
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

/** Nothing was broadcast. */
const NONCE_LOST = {
  state: 'refused' as const,
  nodes: [],
  reason: 'Redis had lost another transaction with its nonce',
}

function fallback<value>(error: unknown, value: value): value {
  if (error instanceof StoreUnavailableError) return value
  throw error
}
