import type { Hash } from 'viem'

/** The hashes of pending transactions in the order in which they were first seen, each once: what filters read. */
export type PoolLog = {
  /** Keeps the pool watched for some milliseconds, starting at the block after `height` unless it is watched already. */
  want(milliseconds: number, height: number): Promise<Wish>
  wanted(): Promise<Wish | undefined>
  /** Adds the hashes that the log does not have. */
  append(hashes: readonly Hash[]): Promise<void>
  /** The position after the newest hash. */
  position(): Promise<string>
  /**
   * At most `limit` hashes after a position, oldest first, and the position after them. Undefined when some of them are not
   * kept any more.
   */
  since(position: string, limit: number): Promise<PoolPage | undefined>
  /** The newest hashes, oldest first. */
  recent(limit: number): Promise<Hash[]>
}

/** The time during which the mempool is polled: the newest block at its start, and the remaining milliseconds. */
export type Wish = { height: number; milliseconds: number }

/** Some hashes and the position after them. */
export type PoolPage = { hashes: Hash[]; position: string }

/** Hashes that are kept: a node's pool holds 2,000, and a poll may come minutes after another. */
const KEPT = 50_000

/** Keeps the hashes in this process. */
export function createMemoryPoolLog({
  kept = KEPT,
  now = () => performance.now(),
}: createMemoryPoolLog.Options = {}): PoolLog {
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
      // Not one by one: that would move all entries each time.
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

export declare namespace createMemoryPoolLog {
  type Options = {
    /** Hashes that can be read back; up to twice as many are kept. @default 50,000 */
    kept?: number
    now?: () => number
  }
}
