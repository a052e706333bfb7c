import type { Hash } from 'viem'

import type { HeadStatus } from '../chain/headTypes.ts'
import type { NativeClient } from '../native/client.ts'
import type { RedisLink } from '../redis.ts'

/** Hashes of pending transactions as they are first seen in the node's pool, in order. */
export type PoolFeed = {
  /** Asks that the pool be watched for a while (milliseconds). */
  want(milliseconds: number): Promise<void>
  /** Where the feed is now. */
  position(): Promise<string>
  /** What came after a position, oldest first. */
  since(position: string): Promise<{ hashes: Hash[]; position: string }>
  /** Called with what comes, while anyone listens. Returns the function that ends it. */
  listen(listener: (hashes: Hash[]) => void): () => void
  stop(): Promise<void>
}

/** Milliseconds between looks at the pool: a block takes the pool away every 3 s. */
const LOOK = 500

/** Milliseconds for which a listener's wish is announced; renewed well before. */
const WISH = 10_000

/** Hashes that are remembered as seen; the node's pool holds 2,000. */
const MEMORY = 20_000

/** Entries of the feed that can be read back. */
const MAX_ENTRIES = 10_000

/** Where the feed is kept: in the process, or in Redis for all replicas. */
type Log = {
  want(milliseconds: number): Promise<void>
  wanted(): Promise<boolean>
  append(hashes: Hash[]): Promise<void>
  position(): Promise<string>
  since(position: string): Promise<{ hashes: Hash[]; position: string }>
}

/** Watches the node's pool while somebody wants it: in a fleet, the process that leads does it for all. */
export function createPoolFeed({
  native,
  now = Date.now,
  onError,
  redis,
  role,
}: createPoolFeed.Options): PoolFeed {
  const log = redis ? redisLog(redis) : memoryLog(now)
  const listeners = new Set<(hashes: Hash[]) => void>()
  const seen = new Set<Hash>()
  let heard: string | undefined
  let timer: NodeJS.Timeout | undefined
  let active = Promise.resolve()
  let stopped = false
  let announced = 0
  let failing = false

  async function look(): Promise<void> {
    if (listeners.size > 0 && now() - announced > WISH / 3) {
      announced = now()
      await log.want(WISH)
    }
    if (role() !== 'follower' && (await log.wanted())) {
      const { txId = [] } = await native.wallet.getTransactionListFromPending()
      const fresh = txId.map((id): Hash => `0x${id}`).filter((hash) => !seen.has(hash))
      for (const hash of fresh) seen.add(hash)
      for (const hash of seen) {
        if (seen.size <= MEMORY) break
        seen.delete(hash)
      }
      if (fresh.length > 0) await log.append(fresh)
    }
    if (listeners.size === 0) {
      heard = undefined
      return
    }
    const { hashes, position } = await log.since(heard ?? (await log.position()))
    heard = position
    if (hashes.length > 0) for (const listener of listeners) listener(hashes)
  }

  async function hear(): Promise<void> {
    const position = await log.position()
    heard ??= position
  }

  /** One look; a failure is told once, until it is over. */
  async function watch(): Promise<void> {
    try {
      await look()
      failing = false
    } catch (error) {
      if (!failing) onError(error)
      failing = true
    }
    schedule()
  }

  /** Only a process that has something to do keeps a timer: one with listeners, or one that may be the leader. */
  function schedule(): void {
    if (stopped || timer) return
    timer = setTimeout(() => {
      timer = undefined
      active = watch()
    }, LOOK)
    timer.unref()
  }
  schedule()

  return {
    want: (milliseconds) => log.want(milliseconds),
    position: () => log.position(),
    since: (position) => log.since(position),
    listen(listener) {
      listeners.add(listener)
      // What comes between now and the first look counts too.
      if (heard === undefined) hear().catch(onError)
      return () => listeners.delete(listener)
    },
    async stop() {
      stopped = true
      clearTimeout(timer)
      await active
    },
  }
}

export declare namespace createPoolFeed {
  type Options = {
    native: { wallet: Pick<NativeClient['wallet'], 'getTransactionListFromPending'> }
    /** The part of this process in the fleet. */
    role: () => HeadStatus['role']
    onError: (error: unknown) => void
    redis?: RedisLink | undefined
    now?: (() => number) | undefined
  }
}

function memoryLog(now: () => number): Log {
  let entries: Hash[] = []
  let dropped = 0
  let until = 0
  const end = () => dropped + entries.length
  return {
    async want(milliseconds) {
      until = Math.max(until, now() + milliseconds)
    },
    wanted: async () => now() < until,
    async append(hashes) {
      entries.push(...hashes)
      const extra = entries.length - MAX_ENTRIES
      if (extra <= 0) return
      entries = entries.slice(extra)
      dropped += extra
    },
    position: async () => String(end()),
    since: async (position) => ({
      hashes: entries.slice(Math.max(0, Number(position) - dropped)),
      position: String(end()),
    }),
  }
}

function redisLog(link: RedisLink): Log {
  const wish = link.key('pool:wanted')
  const stream = link.key('pool:stream')
  const want = link.script(`
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], '1', 'PX', ARGV[1]) end
return 1`)
  return {
    async want(milliseconds) {
      await want([wish], [milliseconds])
    },
    wanted: () => link.run(async (client) => (await client.exists(wish)) === 1),
    append: (hashes) =>
      link.run(async (client) => {
        await client.xadd(stream, 'MAXLEN', '~', MAX_ENTRIES, '*', 'hashes', hashes.join())
        await client.pexpire(stream, 3_600_000)
      }),
    position: () =>
      link.run(async (client) => {
        const [last] = await client.xrevrange(stream, '+', '-', 'COUNT', 1)
        return last?.[0] ?? '0-0'
      }),
    since: (position) =>
      link.run(async (client) => {
        const found = await client.xrange(stream, `(${position}`, '+', 'COUNT', 1_000)
        return {
          hashes: found.flatMap(([, fields]) => (fields[1] ?? '').split(',') as Hash[]),
          position: found.at(-1)?.[0] ?? position,
        }
      }),
  }
}
