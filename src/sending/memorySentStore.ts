import type { Address, Hash } from 'viem'

import type { CreatedContract } from './contracts.ts'
import { SENT_TTL_SECONDS, type SentStore, type SentTransaction } from './sentStore.ts'

/** Transactions remembered at most; the oldest settled ones go first. A few KB each. */
const CAPACITY = 20_000

/** A store in this process: for one replica, and for development. */
export function createMemorySentStore({
  capacity = CAPACITY,
  now = Date.now,
}: createMemorySentStore.Options = {}): SentStore {
  const transactions = new Map<Hash, { sent: SentTransaction; until: number }>()
  const aliases = new Map<Hash, Hash>()
  const mined = new Map<Address, number>()
  const pending = new Map<Hash, SentTransaction>()
  const created: CreatedContract[] = []

  function count(from: Address) {
    let out = 0
    for (const sent of pending.values()) if (sent.from === from) out += 1
    return { mined: mined.get(from) ?? 0, pending: out }
  }

  function forget(id: Hash) {
    const alias = transactions.get(id)?.sent.alias
    if (alias) aliases.delete(alias)
    transactions.delete(id)
  }

  /** Drops what is over age or over number; insertion order is age. */
  function trim() {
    for (const [id, { until }] of transactions) {
      if (until > now() && transactions.size <= capacity) return
      if (pending.has(id)) return
      forget(id)
    }
  }

  return {
    async reserve({ nonce, ...sent }) {
      const known =
        (sent.alias && aliases.get(sent.alias)) ?? (transactions.has(sent.id) && sent.id)
      if (known) return { outcome: 'known', id: known }
      const counts = count(sent.from)
      const next = counts.mined + counts.pending
      if (nonce !== undefined && nonce < counts.mined) return { outcome: 'low', next }
      if (nonce !== undefined && nonce < next) return { outcome: 'taken', next }
      if (nonce !== undefined && nonce > next) return { outcome: 'high', next }
      const entry = { ...sent, nonce: next }
      transactions.set(sent.id, { sent: entry, until: now() + SENT_TTL_SECONDS * 1000 })
      if (sent.alias) aliases.set(sent.alias, sent.id)
      pending.set(sent.id, entry)
      trim()
      return { outcome: 'reserved', nonce: next }
    },
    async release(id) {
      if (pending.delete(id)) forget(id)
    },
    async confirm(id) {
      const sent = pending.get(id)
      if (!sent) return
      pending.delete(id)
      mined.set(sent.from, (mined.get(sent.from) ?? 0) + 1)
    },
    counts: async (from) => count(from),
    async pending({ from, expiredAt = Infinity, limit }) {
      return [...pending.values()]
        .filter((sent) => (!from || sent.from === from) && sent.expiration < expiredAt)
        .toSorted((a, b) => a.expiration - b.expiration)
        .slice(0, limit)
        .map(({ id }) => id)
    },
    pick: async (ids) => ids.filter((id) => pending.has(id)),
    async find(hash) {
      const entry = transactions.get(aliases.get(hash) ?? hash)
      return entry && entry.until > now() ? entry.sent : undefined
    },
    async addContract(contract) {
      created.push(contract)
    },
    contracts: async (cursor) => ({ contracts: created.slice(cursor), next: created.length }),
  }
}

export declare namespace createMemorySentStore {
  type Options = {
    /** Transactions remembered at most. @default 20_000 */
    capacity?: number
    /** @default Date.now */
    now?: () => number
  }
}
