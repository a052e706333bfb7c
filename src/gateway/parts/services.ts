import type { Hash } from 'viem'

import type { AccountIndex } from '../../chain/accountIndex.ts'
import type { NextRun } from '../../chain/blockRange.ts'
import { type Blocks, createBlocks } from '../../chain/blocks/blocks.ts'
import type { Chain } from '../../chain/blocks/chainTypes.ts'
import { createEnergyPrices } from '../../chain/blocks/energyPrices.ts'
import { createInternalTransactions } from '../../chain/blocks/internalTransactions.ts'
import { createChain } from '../../chain/chain.ts'
import { createChainCaches } from '../../chain/chainCaches.ts'
import { createHead } from '../../chain/head/head.ts'
import type { Head } from '../../chain/head/headTypes.ts'
import { createLogHints } from '../../chain/logs/logHints.ts'
import type { Config } from '../../config/config.ts'
import type { HeldBytes } from '../../lib/heldBytes.ts'
import { createRedisLink, type RedisLink, StoreUnavailableError } from '../../lib/redis.ts'
import type { LogIndex } from '../../logIndex/logIndex.ts'
import type { ChainIdentity } from '../../native/capabilities.ts'
import type { NativeClient } from '../../native/client.ts'
import type { PrivateKey } from '../../native/protobuf/signature.ts'
import type { NodeRpc } from '../../native/transport/rpc.ts'
import type { Simulator, Context } from '../../rpc/context.ts'
import type { Execution } from '../../rpc/execution/execution.ts'
import { createNodeExecution } from '../../rpc/execution/nodeExecution.ts'
import type { CallRecorder } from '../../rpc/explain/recorder.ts'
import { createManagedKeys } from '../../sending/keys.ts'
import type { OneNode } from '../../sending/nodeLooks.ts'
import { openSentStore } from '../../sending/openSentStore.ts'
import { createSending } from '../../sending/sending.ts'
import type { Log } from '../log.ts'
import { createCursorStore } from './cursorStore.ts'
import { createFeeds, type Feeds } from './feeds.ts'
import { createGatewayIndex } from './gatewayIndex.ts'

export { DataDirError } from '../../sending/openSentStore.ts'

/** The services of one chain, created once the chain is known. */
export type Services = {
  readonly blocks: Blocks
  readonly chainId: number
  /** The context of methods, for each view. */
  readonly contexts: Record<Chain['view'], Context>
  /** Number and bytes of the filters of all clients. */
  filterUsage: Feeds['usage']
  readonly head: Head
  /** The log index; absent without `--index`. */
  readonly index: LogIndex | undefined
  readonly redis: RedisLink | undefined
  /** Why named cursors could not be written the last time. */
  cursorProblem(): string | undefined
  /** Why the record of sent transactions might not be kept, as text for operators. */
  sentProblem(): string | undefined
  start(): Promise<void>
  stop(): Promise<void>
}

/**
 * Creates the services of one chain. Sends no call to the node before `start`.
 *
 * @throws DataDirError when sent transactions cannot be recorded.
 */
export async function createServices({
  accountIndex,
  authoritative,
  config,
  headNative,
  held,
  identity,
  keys,
  log,
  native,
  nextRun: givenRuns,
  nodeRpc,
  nodes,
  priceOfBlock,
  hasGrpc,
  isSpare,
  onLogs,
  ownChain,
  simulator,
  step,
}: createServices.Options): Promise<Services> {
  const { chainId } = identity
  const redisPrefix = `${config.redisPrefix}:${chainId.toString(16)}`
  const redis =
    config.redis === undefined
      ? undefined
      : createRedisLink({
          prefix: redisPrefix,
          url: config.redis,
          ...(step && { onCommand: (name) => step(name, 'client', REDIS) }),
        })
  redis?.onStatus((status, reason) => {
    if (status === 'up') log.info('Redis is connected')
    else log.warn({ reason }, status === 'down' ? 'Redis is unreachable' : 'Redis refuses writes')
  })

  const genesis = `0x${identity.genesis}` as const
  // Replicas share a journal of every block.
  const nextRun = redis ? undefined : givenRuns
  const prices = createEnergyPrices({ native: headNative, priceOfBlock })
  const head = createHead({
    authoritative,
    baseFee: config.feeSignal === 'eip1559' ? (block) => prices.of(block) : undefined,
    genesis,
    log,
    native: headNative,
    nextRun,
    onLoaded: (loaded) => blocks.put(loaded),
    redis,
  })
  const blocks = createBlocks({
    cacheBytes: config.cacheBytes,
    hasGrpc,
    head,
    isSpare,
    native,
    onMiss:
      step &&
      ((number) => step('block cache miss', 'internal', { 'ethgate.block.number': number })),
  })
  const index = createGatewayIndex({ config, genesis: identity.genesis, head, log })
  const chainOptions = {
    accountIndex: index ?? accountIndex,
    blocks,
    chainId,
    config,
    genesis,
    head,
    hints: config.logsTrustNode === 'on' ? createLogHints({ rpc: nodeRpc }) : undefined,
    index,
    native,
    nextRun,
    hasGrpc,
    onLogs,
    caches: createChainCaches({ blocks, config, head, isSpare, native, prices }),
  }
  const full = createChain({ ...chainOptions, view: 'full' })
  const solid = createChain({ ...chainOptions, view: 'solid' })

  const sent = await openSentStore({
    chainId,
    dataDir: config.dataDir,
    genesis,
    hasKeys: keys.length > 0,
    isInProcess: authoritative,
    isNew: config.newRecord,
    log,
    native,
    redis,
  }).catch(async (error: unknown) => {
    await redis?.close()
    throw error
  })
  const sending = createSending({
    assertKept: (account) => sent.assertKept(account),
    chain: full,
    feeKind: config.feeSignal,
    onReplaced: (id, replaced) =>
      log.warn({ id, replaced }, 'replaced predicted addresses in the data of a transaction'),
    predictedAddresses: config.predictedAddresses,
    head,
    keys: createManagedKeys(keys),
    native,
    nodes,
    // An unusable Redis is logged once, by its connection.
    onError: (error) => {
      if (!(error instanceof StoreUnavailableError))
        log.warn({ err: error }, 'could not track sent transactions')
    },
    onSent: (hash) => feeds.sent(hash),
    resends: !authoritative,
    store: sent.store,
  })
  const cursorStore = createCursorStore({
    chainId,
    config,
    genesis,
    held,
    isInProcess: authoritative,
    redis,
  })
  const feeds = createFeeds({
    chains: { full, solid },
    config,
    cursorStore: () => cursorStore.open(),
    head,
    held,
    isInProcess: authoritative,
    log,
    native,
    redis,
  })
  const internal = createInternalTransactions({ native, newest: () => head.latest().number })
  const shared = { config, native, sending, simulator }
  function contextOf(feed: Feeds['full'], chain: Chain): Context {
    const own = ownChain?.(chain, config)
    return {
      ...shared,
      ...feed,
      chain: own?.chain ?? chain,
      execution: {
        ...createNodeExecution({ chain, internal, native, nodeRpc, sending }),
        ...own?.execution,
      },
      get nodeRpc() {
        return nodeRpc()
      },
    }
  }
  let isStopped = false
  return {
    blocks,
    chainId,
    contexts: {
      full: contextOf(feeds.full, full),
      solid: contextOf(feeds.solid, solid),
    },
    filterUsage: () => feeds.usage(),
    head,
    index,
    redis,
    cursorProblem: () => cursorStore.problem(),
    sentProblem: () => sent.problem(),
    async start() {
      sending.start()
      await head.start()
      // `stop` may have been called meanwhile.
      if (!isStopped) index?.start()
    },
    async stop() {
      isStopped = true
      await feeds.stop()
      await cursorStore.close()
      await head.stop()
      await index?.stop()
      await sending.stop()
      await sent.close()
      await redis?.close()
    },
  }
}

export declare namespace createServices {
  type Options = {
    /** The accounts of a chain in this process. */
    accountIndex?: AccountIndex | undefined
    /** The chain is in this process, so its head is followed even to a lower block. */
    authoritative: boolean
    config: Config
    /** Reads the blocks of the head and the prices in their headers. */
    headNative: NativeClient
    /** The bytes that are held for clients. */
    held: HeldBytes
    identity: ChainIdentity
    /** Private keys of managed accounts. */
    keys: readonly PrivateKey[]
    log: Log
    native: NativeClient
    /** The runs of empty blocks of a chain in this process. */
    nextRun?: NextRun | undefined
    /** The nodes' own JSON-RPC; undefined while none has one. */
    nodeRpc: () => NodeRpc | undefined
    nodes: () => OneNode[]
    /** The energy price of a block that has one of its own, by its hash. */
    priceOfBlock?: ((hash: Hash) => bigint | undefined) | undefined
    /** Whether the nodes give the outcomes of whole blocks at little cost: over gRPC. */
    hasGrpc?: (() => boolean) | undefined
    /** See `createBlocks`. */
    isSpare?: (() => boolean) | undefined
    /** Learns where the logs of each answer were found. */
    onLogs?: createChain.Options['onLogs']
    ownChain?: OwnChain | undefined
    simulator?: Simulator | undefined
    /** Starts a child span of the current call, for traces. */
    step?: CallRecorder['step'] | undefined
  }
}

/** What a chain in this process answers itself, in place of calls of its node interface, for one view. */
export type OwnChain = (
  chain: Chain,
  config: Config,
) => { chain: Chain; execution: Partial<Execution> }

/** Attributes of the span of a Redis command. */
const REDIS = { 'db.system.name': 'redis' }
