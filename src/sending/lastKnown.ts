import { LRUCache } from 'lru-cache'

import { type RedisLink, StoreUnavailableError } from '../lib/redis.ts'
import { firstRecord, hashesOf, type SentStore, type SentTransaction } from './sentStore.ts'

/** Maximum number of bytes of the last transactions. Each counts for all of the three keys that find it. */
const MAX_BYTES = 3 * 16 * 1024 * 1024

/** Bytes of a transaction beside its signed bytes, roughly. */
const OVERHEAD = 1_000

/**
 * Milliseconds for which a transaction is kept: much longer than it can be mined, and much shorter than Redis keeps it. Not a time of the
 * chain, because the clock of the machine may be wrong.
 */
const KEPT = 60 * 60_000

/**
 * A store that finds the transactions of this process while Redis is unavailable. Everything else is an error then, because other
 * replicas may have sent more.
 *
 * A Redis that crashed may have lost its last second, and a failover what was not copied. A transaction that this process has
 * recorded, and that Redis has neither as sent nor as ended, is recorded again, at once when Redis is there again: otherwise it could be
 * signed a second time, here or at another replica, or its nonce given to another one.
 */
export function withLastKnown(store: SentStore, onStatus: RedisLink['onStatus']): SentStore {
  /** By native id, by Ethereum hash, and by sender and nonce. */
  const found = new LRUCache<string, SentTransaction>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ hex = '' }) => hex.length + OVERHEAD,
    ttl: KEPT,
  })
  const placeOf = ({ from, nonce }: SentTransaction) => `${from} ${nonce}`

  function record(sent: SentTransaction): void {
    for (const key of [...hashesOf(sent), placeOf(sent)]) found.set(key, sent)
  }

  const isLost = async ({ id, state }: SentTransaction): Promise<boolean> =>
    state !== 'final' && !(await store.find(id)) && !(await store.ending(id))

  /**
   * Records a transaction again that Redis has lost. Nothing is restored before the nonces below it are there: a record that lacks them
   * must not look like a whole one.
   */
  async function restore(lost: SentTransaction): Promise<SentTransaction | undefined> {
    if (!(await isLost(lost))) {
      for (const hash of hashesOf(lost)) found.delete(hash)
      return undefined
    }
    const { block: _, broadcasts: __, state: ___, ...sent } = lost
    const { nonce: ____, ...any } = sent
    const { outcome } = await store.reserve(sent)
    if (outcome === 'high') return undefined
    // Another transaction has got its nonce meanwhile.
    if (outcome === 'low' || outcome === 'taken') await store.reserve(any)
    // Its first broadcast was before.
    const restored = (await store.change(lost.id, { event: 'broadcast' })).sent
    if (restored) record(restored)
    return restored
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
    async find(hash) {
      const known = found.get(hash)
      try {
        const sent = await store.find(hash)
        if (sent) record(sent)
        return sent ?? (known && (await restore(known)))
      } catch (error) {
        if (known && error instanceof StoreUnavailableError) return known
        throw error
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
