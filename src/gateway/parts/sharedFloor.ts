import type { Head } from '../../chain/head/headTypes.ts'
import { UpstreamError } from '../../lib/errors.ts'
import type { RedisLink } from '../../lib/redis.ts'

/** The newest block that any replica has served, so that no other replica answers from an older one. */
export type SharedFloor = {
  /**
   * Resolves when this replica has the newest block that any replica had served at the time of the call. Calls at the
   * same time share one read of Redis. If Redis is down it resolves at once.
   *
   * @throws UpstreamError when this replica does not reach that block in time.
   */
  reached(): Promise<void>
  stop(): void
}

/** Milliseconds that a lagging replica has to catch up. */
const CATCH_UP_TIMEOUT = 2_000

/** Milliseconds for which a floor is valid: longer than the time between blocks. After that a replica with a lower head answers again. */
const LIFETIME = 10_000

/** Keeps the higher of two heights, and replaces that of a block that a reorg has removed. */
const MOVE = `
local floor = redis.call('GET', KEYS[1])
if not floor or tonumber(ARGV[1]) > tonumber(floor) or floor == ARGV[2] then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[3])
end`

/** Shares the floor of the replicas through Redis. */
export function createSharedFloor({ head, redis }: createSharedFloor.Options): SharedFloor {
  const key = redis.key('head:floor')
  const move = redis.script(MOVE)
  let reading: Promise<number> | undefined
  let next: Promise<number> | undefined
  const waiting = new Set<() => void>()

  // Sent before any answer that shows the new block, because answers are written later in the event loop tick.
  const unsubscribe = head.onUpdate(({ removed: [highest] }) => {
    // A reorg may end at a lower block.
    move([key], [head.latest().number, highest?.number ?? '', LIFETIME]).catch(() => {})
    for (const check of waiting) check()
  })

  async function read(): Promise<number> {
    const text = await redis.run((client) => client.get(key)).catch(() => null)
    return Number(text ?? -1)
  }

  function begin(): Promise<number> {
    const begun = read().finally(() => {
      if (reading === begun) reading = undefined
    })
    return (reading = begun)
  }

  /** A read that starts after this call. A read in flight may miss a block that was served meanwhile. */
  function readAnew(): Promise<number> {
    if (!reading) return begin()
    next ??= reading.then(() => {
      next = undefined
      return begin()
    })
    return next
  }

  function waitFor(floor: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(limit)
        waiting.delete(check)
      }
      const check = () => {
        if (head.latest().number < floor) return
        end()
        resolve()
      }
      const limit = setTimeout(() => {
        end()
        reject(
          new UpstreamError(
            `another replica has served block ${floor}, which this replica has not reached yet`,
          ),
        )
      }, CATCH_UP_TIMEOUT)
      waiting.add(check)
    })
  }

  return {
    async reached() {
      if (redis.status() !== 'up') return undefined
      const floor = await readAnew()
      return head.latest().number >= floor ? undefined : waitFor(floor)
    },
    stop() {
      unsubscribe()
      waiting.clear()
    },
  }
}

export declare namespace createSharedFloor {
  type Options = {
    head: Pick<Head, 'latest' | 'onUpdate'>
    redis: Pick<RedisLink, 'key' | 'run' | 'script' | 'status'>
  }
}
