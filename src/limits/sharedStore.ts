import { randomBytes } from 'node:crypto'

import type { RedisLink } from '../lib/redis.ts'
import { watchRedis } from '../lib/watchRedis.ts'
import { within } from '../lib/within.ts'
import { burstOf, type Limits } from './caller.ts'
import { ANNOUNCE, createRedisLimitStore } from './redisStore.ts'
import { createMemoryLimitStore, type Grant, type LimitStore } from './store.ts'

/** What happens to limits while Redis cannot be used. */
export type WithoutRedis = 'closed' | 'local' | 'open'

/**
 * A store in Redis, with a replacement in this process. While Redis does not answer, calls do not wait for it: `local` counts in this process with this replica's
 * part of the limits, by the last known number of replicas; `open` allows everything; `closed` fails.
 *
 * @throws StoreUnavailableError from `take`, when it is `closed`.
 */
export function createSharedLimitStore({
  link,
  onChange,
  patience = 50,
  announceInterval = 1_000,
  withoutRedis,
}: createSharedLimitStore.Options) {
  const redis = createRedisLimitStore({ link })
  const local = createMemoryLimitStore()
  const announceIn = link.script(ANNOUNCE)
  const name = randomBytes(8).toString('hex')
  let replicas = 1
  let isShared = true

  function setShared(next: boolean) {
    if (next === isShared) return
    isShared = next
    onChange(next)
  }

  /** Announces this replica to the others, and checks whether Redis answers. */
  async function announce(): Promise<void> {
    try {
      replicas = Math.max(1, Number(await announceIn([link.key('replicas')], [name, REPLICA_MS])))
      setShared(true)
    } catch {
      setShared(false)
    }
  }

  function takeAlone(
    ...[id, limits, request]: Parameters<LimitStore['take']>
  ): Grant | Promise<Grant> {
    if (withoutRedis === 'closed') return redis.take(id, limits, request)
    const own = withoutRedis === 'open' ? {} : partOf(limits, replicas, request.need)
    return local.take(id, own, request)
  }

  // The first connection takes a moment. Without one, the next call finds it out.
  const stop = watchRedis(link, announceInterval, () => void announce())

  const store: LimitStore = {
    async take(id, limits, request) {
      if (!isShared || link.status() !== 'up') return takeAlone(id, limits, request)
      const answer = Promise.resolve(redis.take(id, limits, request))
      try {
        const grant = await within(
          answer,
          patience,
          () => new Error('Redis did not answer in time'),
        )
        // Otherwise each switch from Redis to this process would grant another burst.
        local.drain(id, partOf(limits, replicas, request.need), grant.granted)
        return grant
      } catch {
        setShared(false)
        return takeAlone(id, limits, request)
      }
    },
  }
  return {
    ...store,
    /** Whether units are counted in Redis now. */
    isShared: () => isShared,
    stop,
  }
}

export declare namespace createSharedLimitStore {
  type Options = {
    link: Pick<RedisLink, 'key' | 'onStatus' | 'script' | 'status'>
    /** Called when counting in Redis starts or stops. */
    onChange: (isShared: boolean) => void
    /** Milliseconds that a call may wait for Redis. @default 50 */
    patience?: number
    /** Milliseconds between announcements of this replica. @default 1,000 */
    announceInterval?: number
    withoutRedis: WithoutRedis
  }
}

/** Milliseconds without an announcement after which a replica no longer counts. */
const REPLICA_MS = 5_000

/** The part of one replica. Its burst is at least what a call needs, so that no call is refused forever. */
function partOf(limits: Limits, replicas: number, need: number): Limits {
  const { daily, rate } = limits
  return {
    ...limits,
    ...(rate !== undefined && {
      rate: rate / replicas,
      burst: Math.max(need, burstOf(limits) / replicas),
    }),
    ...(daily !== undefined && { daily: daily / replicas }),
  }
}
