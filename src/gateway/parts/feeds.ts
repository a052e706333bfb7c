import type { Hash } from 'viem'

import type { Chain } from '../../chain/blocks/chainTypes.ts'
import { createCursors, type Cursors } from '../../chain/filters/cursors.ts'
import { createFilters, type Filters } from '../../chain/filters/filters.ts'
import { createMemoryFilterStore } from '../../chain/filters/memory.ts'
import { createPendingFeed } from '../../chain/filters/pending.ts'
import { createMemoryPendingLog } from '../../chain/filters/pendingLog.ts'
import { createRedisFilterStore } from '../../chain/filters/redis.ts'
import { createRedisPendingLog } from '../../chain/filters/redisPendingLog.ts'
import type { FilterStore } from '../../chain/filters/store.ts'
import type { Head, HeadLog } from '../../chain/head/headTypes.ts'
import { createHub, type Hub } from '../../chain/subscriptions/hub.ts'
import { createSubscriptionMemory } from '../../chain/subscriptions/memory.ts'
import type { Config } from '../../config/config.ts'
import type { HeldBytes } from '../../lib/heldBytes.ts'
import { type RedisLink, StoreUnavailableError } from '../../lib/redis.ts'
import type { NativeClient } from '../../native/client.ts'
import { type FilterConfig, filterLimits } from './cursorStore.ts'

/** Filters, cursors and subscriptions of both views of one chain. */
export type Feeds = ReturnType<typeof createFeeds>

/** Filters, cursors and subscriptions of one view. */
type ViewFeeds = { cursors: Cursors; filters: Filters; subscriptions: Hub }

/** Creates filters, in Redis if there is one, and subscriptions. */
export function createFeeds({
  chains,
  config,
  cursorStore,
  head,
  held,
  isInProcess,
  log,
  native,
  redis,
}: createFeeds.Options) {
  const limits = filterLimits(config, config.filterTtl)
  const store = redis
    ? createRedisFilterStore({ ...limits, isSpread: true, link: redis })
    : createMemoryFilterStore({ ...limits, held })
  // Created before the hubs: it gets each block first, so pending transactions are announced before their block's head.
  const pending = createPendingFeed({
    head,
    isInProcess,
    log: redis ? createRedisPendingLog(redis) : createMemoryPendingLog(),
    native,
    // An unusable Redis is logged once, by its connection.
    onError: (error) => {
      if (!(error instanceof StoreUnavailableError))
        log.warn({ err: error }, 'the mempool of the node cannot be read')
    },
  })
  const memory = createSubscriptionMemory({ ...limits, held })
  const feedsOf = (chain: Chain): ViewFeeds => ({
    cursors: createCursors({ chain, head, store: cursorStore }),
    filters: createFilters({
      chain,
      head,
      log,
      pageSize: config.filterPage,
      pending,
      store,
      ttl: limits.ttl,
    }),
    subscriptions: createHub({
      chain,
      head,
      log,
      memory,
      perClient: config.subscriptionsPerClient,
      perSocket: config.subscriptionsPerConnection,
      pending,
    }),
  })
  const full = feedsOf(chains.full)
  const solid = feedsOf(chains.solid)

  return {
    full,
    solid,
    /** Announces a transaction as pending that was sent through this gateway. */
    sent: (hash: Hash) => pending.sent(hash),
    /** Memory of the filters of all clients. */
    usage: () => store.usage(),
    async stop() {
      full.filters.stop()
      solid.filters.stop()
      full.subscriptions.stop()
      solid.subscriptions.stop()
      await pending.stop()
    },
  }
}

export declare namespace createFeeds {
  type Options = {
    chains: Record<Chain['view'], Chain>
    config: FilterConfig &
      Pick<
        Config,
        | 'filterPage'
        | 'filterTtl'
        | 'logsMaxResults'
        | 'subscriptionsPerClient'
        | 'subscriptionsPerConnection'
      >
    /** Opens the store of named cursors. */
    cursorStore: () => Promise<FilterStore>
    head: Pick<Head, 'isShared' | 'onUpdate' | 'status' | 'window'>
    held: HeldBytes
    /** Whether the node is in this process. @default false */
    isInProcess?: boolean | undefined
    log: HeadLog
    native: { wallet: Pick<NativeClient['wallet'], 'getTransactionListFromPending'> }
    redis: RedisLink | undefined
  }
}
