import type { Hash } from 'viem'

/** The log of pending transactions that filters read: each hash once, in the order in which it was first seen. */
export type PendingLog = {
  /** Keeps the mempool watched for some milliseconds, from the block after `height` unless it is watched already. */
  want(milliseconds: number, height: number): Promise<WatchRequest>
  wanted(): Promise<WatchRequest | undefined>
  /** Adds the hashes that the log does not have. */
  append(hashes: readonly Hash[]): Promise<void>
  /** The position after the newest hash. */
  position(): Promise<string>
  /**
   * At most `limit` hashes after a position, oldest first, and the position after them. Undefined when some of them were
   * dropped.
   */
  since(position: string, limit: number): Promise<PendingPage | undefined>
  /** The newest hashes, oldest first. */
  recent(limit: number): Promise<Hash[]>
}

/** The time during which the mempool is polled: the newest block at its start, and the remaining milliseconds. */
export type WatchRequest = { height: number; milliseconds: number }

/** Some hashes and the position after them. */
export type PendingPage = { hashes: Hash[]; position: string }

/** Number of hashes that a log keeps. The mempool holds 2,000, and a filter may be polled only every few minutes. */
export const KEPT_HASHES = 50_000

/** A log in the memory of this process. */
export function createMemoryPendingLog({
  kept = KEPT_HASHES,
  now = () => performance.now(),
}: createMemoryPendingLog.Options = {}): PendingLog {
  const seen = new Set<Hash>()
  let entries: Hash[] = []
  let dropped = 0
  let height = 0
  let until = 0
  const end = () => dropped + entries.length

  return {
    async want(milliseconds, newest) {
      if (now() >= until) height = newest
      until = Math.max(until, now() + milliseconds)
      return { height, milliseconds: until - now() }
    },
    wanted: async () => (now() < until ? { height, milliseconds: until - now() } : undefined),
    async append(hashes) {
      const fresh = [...new Set(hashes)].filter((hash) => !seen.has(hash))
      for (const hash of fresh) seen.add(hash)
      entries.push(...fresh)
      // Dropping them one by one would move all entries each time.
      if (entries.length > 2 * kept) {
        const old = entries.slice(0, -kept)
        for (const hash of old) seen.delete(hash)
        entries = entries.slice(-kept)
        dropped += old.length
      }
    },
    position: async () => String(end()),
    async since(position, limit) {
      const start = Number(position)
      if (!(start >= dropped && start <= end())) return undefined
      const hashes = entries.slice(start - dropped, start - dropped + limit)
      return { hashes, position: String(start + hashes.length) }
    },
    recent: async (limit) => entries.slice(-limit),
  }
}

export declare namespace createMemoryPendingLog {
  type Options = {
    /** Hashes that can be read back; up to twice as many are kept. @default 50,000 */
    kept?: number
    now?: () => number
  }
}
