import { LRUCache } from 'lru-cache'

import { type RedisLink, StoreUnavailableError } from '../lib/redis.ts'
import { sleep } from '../lib/sleep.ts'
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

/** Attempts to restore what Redis has lost, and the milliseconds after each: less than replicas wait until they sign again. */
const ATTEMPTS = 6
const RETRY = 400

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

  /** Whether Redis has lost a transaction, or that it was broadcast again: a refusal would free it then. */
  async function isLost({ broadcasts, id, state }: SentTransaction): Promise<boolean> {
    if (state === 'final') return false
    const sent = await store.find(id)
    if (sent) return sent.broadcasts < broadcasts
    const ending = await store.ending(id)
    // It was recorded a second time after that one.
    return !ending || ('reason' in ending && ending.reason === NONCE_LOST.reason)
  }

  /**
   * Records a transaction again that Redis has lost. An empty record that lacks the nonces below must not look like a whole one. In
   * any other, what is below is lost for good when it is not there at last: a free nonce is taken then.
   */
  async function restore(
    lost: SentTransaction,
    isLast = true,
  ): Promise<SentTransaction | undefined> {
    if (!(await isLost(lost))) {
      const known = await store.find(lost.id)
      for (const hash of known ? [] : hashesOf(lost)) found.delete(hash)
      return known
    }
    const { block: _, broadcasts: __, state: ___, ...sent } = lost
    const { nonce: ____, ...any } = sent
    let reservation = await store.reserve(sent)
    if (reservation.outcome === 'known' && reservation.id !== lost.id) {
      // That one was refused, otherwise this one would not have been signed, and Redis has lost it.
      await store.change(reservation.id, { event: 'refused', why: END_LOST })
      reservation = await store.reserve(sent)
    }
    if (reservation.outcome === 'high' && !(isLast && reservation.next > 0)) return undefined
    if ('next' in reservation) await store.reserve(any)
    // Its first broadcast was before.
    const restored = (await store.change(lost.id, { event: 'broadcast' })).sent
    if (restored) record(restored)
    return restored
  }

  /** In the order of their nonces, so that each has its own again. Those below may have to be restored by other replicas. */
  async function restoreAll(): Promise<void> {
    let known = [...new Set(found.values())]
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const lost = await Promise.all(known.map(async (sent) => ((await isLost(sent)) ? sent : [])))
      known = lost.flat().toSorted((a, b) => a.nonce - b.nonce)
      if (known.length === 0) return
      for (const sent of known) await restore(sent, attempt === ATTEMPTS)
      await sleep(RETRY, undefined, { ref: false })
    }
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
    async change(id, event) {
      const result = await store.change(id, event)
      if (result.sent) record(result.sent)
      return result
    },
    async find(hash) {
      const known = found.get(hash)
      try {
        const sent = await store.find(hash)
        const isSame = sent && sent.id === known?.id && sent.broadcasts >= known.broadcasts
        if (known && !isSame) return (await restore(known)) ?? sent
        if (sent) record(sent)
        return sent
      } catch (error) {
        if (known && error instanceof StoreUnavailableError) return known
        throw error
      }
    },
  }
}

const refusedFor = (reason: string) => ({ state: 'refused' as const, nodes: [], reason })

/** Nothing was broadcast. */
const NONCE_LOST = refusedFor('Redis had lost another transaction with its nonce')

const END_LOST = refusedFor('Redis had lost that it was refused')
