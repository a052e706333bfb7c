import type { Hash } from 'viem'

import type { Chain } from '../../chain/blocks/chainTypes.ts'
import { createInternalTransactions } from '../../chain/blocks/internalTransactions.ts'
import { createRedisLink, type RedisLink, StoreUnavailableError } from '../../lib/redis.ts'
import type { Context } from '../../rpc/context.ts'
import { createNodeExecution } from '../../rpc/execution/nodeExecution.ts'
import { createManagedKeys } from '../../sending/keys.ts'
import { openSentStore } from '../../sending/openSentStore.ts'
import { createSending } from '../../sending/sending.ts'
import { createCursorStore } from './cursorStore.ts'
import { createFeeds, type Feeds } from './feeds.ts'
import { createViews, type ServiceNeeds, type Views } from './views.ts'

export { DataDirError } from '../../sending/openSentStore.ts'

/** The services of one chain, created once the chain is known. */
export type Services = Awaited<ReturnType<typeof createServices>>

/**
 * Creates the services of one chain. Sends no call to the node before `start`.
 *
 * @throws DataDirError when sent transactions cannot be recorded.
 */
export async function createServices(options: createServices.Options) {
  const { config, held, identity, node, own, simulator, telemetry } = options
  const { native } = node
  const { chainId } = identity
  const { isInProcess } = own
  const redis = connectRedis(options)
  const views = createViews(options, redis)
  const { blocks, full, genesis, head, index, solid, store } = views
  const sent = await openSent(options, genesis, redis).catch(async (error: unknown) => {
    await redis?.close()
    throw error
  })
  const sending = connectSending(options, views, sent, (hash) => feeds.sent(hash))
  const cursorStore = createCursorStore({ chainId, config, genesis, held, isInProcess, redis })
  const feeds = createFeeds({
    chains: { full, solid },
    config,
    cursorStore: () => cursorStore.open(),
    head,
    held,
    isInProcess,
    log: telemetry.log,
    native,
    redis,
  })
  const internal = createInternalTransactions({ native, newest: () => head.latest().number })
  const nodeRpc = () => node.rpc()
  function contextOf(feed: Feeds['full'], chain: Chain): Context {
    const node = createNodeExecution({
      chain,
      config,
      internal,
      native,
      nodeRpc,
      sending,
      simulator,
    })
    const answers = own.ownChain?.(chain, config, node)
    return {
      config,
      native,
      sending,
      ...feed,
      chain: answers?.chain ?? chain,
      execution: { ...node, ...answers?.execution },
      get nodeRpc() {
        return nodeRpc()
      },
    }
  }
  let isStopped = false
  return {
    blocks,
    chainId,
    /** The context of methods, for each view. */
    contexts: {
      full: contextOf(feeds.full, full),
      solid: contextOf(feeds.solid, solid),
    },
    /** Number and bytes of the filters of all clients. */
    filterUsage: () => feeds.usage(),
    head,
    /** The log index; absent without `--index`. */
    index,
    redis,
    /** The store of final blocks; absent without one. */
    store,
    /** Why named cursors could not be written the last time. */
    cursorProblem: () => cursorStore.problem(),
    /** Why the record of sent transactions might not be kept, as text for operators. */
    sentProblem: () => sent.problem(),
    async start() {
      sending.start()
      await head.start()
      // `stop` may have been called meanwhile.
      if (isStopped) return
      index?.start()
      store?.start()
    },
    async stop() {
      isStopped = true
      await feeds.stop()
      await cursorStore.close()
      await head.stop()
      await index?.stop()
      await store?.stop()
      await sending.stop()
      await sent.close()
      await redis?.close()
    },
  }
}

export declare namespace createServices {
  type Options = ServiceNeeds
}

function connectRedis({
  config,
  identity,
  telemetry: { log, step },
}: createServices.Options): RedisLink | undefined {
  if (config.redis === undefined) return undefined
  const redis = createRedisLink({
    prefix: `${config.redisPrefix}:${identity.chainId.toString(16)}`,
    url: config.redis,
    ...(step && { onCommand: (name) => step(name, 'client', REDIS) }),
  })
  redis.onStatus((status, reason) => {
    if (status === 'up') log.info('Redis is connected')
    else log.warn({ reason }, status === 'down' ? 'Redis is unreachable' : 'Redis refuses writes')
  })
  return redis
}

function openSent(
  { config, identity, keys, node, own, telemetry }: createServices.Options,
  genesis: Hash,
  redis: RedisLink | undefined,
) {
  return openSentStore({
    chainId: identity.chainId,
    dataDir: config.dataDir,
    genesis,
    hasKeys: keys.length > 0,
    isInProcess: own.isInProcess,
    isNew: config.newRecord,
    log: telemetry.log,
    native: node.native,
    redis,
  })
}

function connectSending(
  { config, keys, node, own, telemetry: { log } }: createServices.Options,
  { full, head }: Views,
  sent: Awaited<ReturnType<typeof openSentStore>>,
  onSent: (hash: Hash) => void,
) {
  return createSending({
    assertKept: (account) => sent.assertKept(account),
    chain: full,
    feeKind: config.feeSignal,
    onReplaced: (id, replaced) =>
      log.warn({ id, replaced }, 'replaced predicted addresses in the data of a transaction'),
    predictedAddresses: config.predictedAddresses,
    head,
    keys: createManagedKeys(keys),
    native: node.native,
    nodes: () => node.nodes(),
    // An unusable Redis is logged once, by its connection.
    onError: (error) => {
      if (!(error instanceof StoreUnavailableError))
        log.warn({ err: error }, 'could not track sent transactions')
    },
    onSent,
    resends: !own.isInProcess,
    store: sent.store,
  })
}

/** Attributes of the span of a Redis command. */
const REDIS = { 'db.system.name': 'redis' }
