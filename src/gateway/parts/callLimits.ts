import { join } from 'node:path'

import { type Config, ConfigError } from '../../config/config.ts'
import type { LoopWatch } from '../../lib/loopWatch.ts'
import { createRedisLink } from '../../lib/redis.ts'
import { stateFolder } from '../../lib/stateFolder.ts'
import { type CallLimits, createCallLimits } from '../../limits/limits.ts'
import {
  createFileSpendingStore,
  createRedisSpendingStore,
  SPENDING_FILE,
} from '../../limits/spending.ts'
import {
  createFileUsageStore,
  createRedisUsageStore,
  createUsage,
  USAGE_FILE,
} from '../../limits/usage.ts'
import { targetOf } from '../../sending/targetOf.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'

/**
 * The limits of the configuration. They have a connection to Redis of their own, because they are needed before the chain is
 * known, and must not wait behind other commands.
 *
 * @throws ConfigError when the API keys file is not valid, or no client could call.
 */
export function connectLimits({
  config,
  log,
  loop,
  metrics,
  queued,
}: connectLimits.Options): CallLimits {
  const { anonymous, apiKeys, dataDir } = config
  if (anonymous === 'off' && apiKeys === undefined)
    throw new ConfigError('--anonymous', 'off needs --api-keys, or no client could call')
  const { burstPerClient, concurrencyPerClient, dailyPerClient, ratePerClient } = config
  const isLimited = [
    apiKeys,
    burstPerClient,
    concurrencyPerClient,
    dailyPerClient,
    ratePerClient,
  ].some((option) => option !== undefined)
  const link =
    config.redis === undefined || !isLimited
      ? undefined
      : createRedisLink({ prefix: `${config.redisPrefix}:limits`, url: config.redis })
  const { spending, store } = link
    ? { spending: createRedisSpendingStore({ link }), store: createRedisUsageStore({ link }) }
    : fileStores(stateFolder(dataDir))
  const limits = createCallLimits({
    anonymous: anonymous === 'on',
    apiKeys,
    // A gateway without limits refuses nothing.
    isBusy: isLimited ? createBusyCheck(loop, queued) : () => false,
    limits: {
      rate: config.ratePerClient,
      burst: config.burstPerClient,
      daily: config.dailyPerClient,
      concurrency: config.concurrencyPerClient,
    },
    link,
    log,
    onRefused: (limit, scope) => metrics.refused.inc({ limit, scope }),
    spending,
    targetOf,
    usage:
      apiKeys !== undefined && store
        ? createUsage({ store, onError: (error, message) => log.warn({ err: error }, message) })
        : undefined,
    withoutRedis: config.limitsWithoutRedis,
  })
  return {
    ...limits,
    async stop() {
      await limits.stop()
      await link?.close()
    },
  }
}

export declare namespace connectLimits {
  type Options = {
    config: Config
    log: Log
    loop: Pick<LoopWatch, 'delay'>
    metrics: Metrics
    /** Calls that wait for each node. */
    queued: () => number[]
  }
}

/** The stores of a data directory; none without one. */
function fileStores(folder: string | undefined) {
  if (folder === undefined) return {}
  return {
    spending: createFileSpendingStore(join(folder, SPENDING_FILE)),
    store: createFileUsageStore(join(folder, USAGE_FILE)),
  }
}

/** Creates the check whether the gateway has too much work for expensive calls. It checks the nodes every 50 ms at most. */
function createBusyCheck(loop: Pick<LoopWatch, 'delay'>, queued: () => number[]): () => boolean {
  let seen = { at: Number.NEGATIVE_INFINITY, isBusy: false }
  return () => {
    const now = performance.now()
    if (now - seen.at > 50)
      seen = {
        at: now,
        isBusy: loop.delay() > BUSY_MS || queued().some((calls) => calls > BUSY_CALLS),
      }
    return seen.isBusy
  }
}

/** Milliseconds of delay of the event loop above which expensive calls are refused. */
const BUSY_MS = 250

/** Calls in the queue of a node above which expensive calls are refused: some seconds of work. */
const BUSY_CALLS = 2_000
