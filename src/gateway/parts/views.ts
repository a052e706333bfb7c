import type { Hash } from 'viem'

import { createBlocks } from '../../chain/blocks/blocks.ts'
import type { Chain } from '../../chain/blocks/chainTypes.ts'
import { createEnergyPrices } from '../../chain/blocks/energyPrices.ts'
import { createLoneTransactions } from '../../chain/blocks/loneTransactions.ts'
import { createChain } from '../../chain/chain.ts'
import { createHead } from '../../chain/head/head.ts'
import { createChainCaches } from '../../chain/logs/chainCaches.ts'
import { createLogHints } from '../../chain/logs/logHints.ts'
import type { AccountIndex } from '../../chain/reads/accountIndex.ts'
import type { NextRun } from '../../chain/reads/blockRange.ts'
import { contentOf } from '../../chain/reads/load.ts'
import type { Config } from '../../config/config.ts'
import type { HeldBytes } from '../../lib/heldBytes.ts'
import type { RedisLink } from '../../lib/redis.ts'
import type { ChainIdentity } from '../../native/capabilities.ts'
import type { PrivateKey } from '../../native/protobuf/signature.ts'
import type { Execution } from '../../rpc/execution/execution.ts'
import type { Simulator } from '../../rpc/execution/simulated.ts'
import { createGatewayIndex } from './gatewayIndex.ts'
import { createGatewayStore } from './gatewayStore.ts'
import type { NodeConnection } from './nodeConnection.ts'
import type { Telemetry } from './telemetry.ts'

/** What the services of a chain are made of. */
export type ServiceNeeds = {
  config: Config
  /** The bytes that are held for clients. */
  held: HeldBytes
  identity: ChainIdentity
  /** Private keys of managed accounts. */
  keys: readonly PrivateKey[]
  node: NodeConnection
  own: LocalChain
  simulator?: Simulator | undefined
  telemetry: Pick<Telemetry, 'log' | 'recorder' | 'step'>
}

/** What a chain in this process answers itself, in place of calls of its node interface, for one view. */
export type OwnChain = (
  chain: Chain,
  config: Config,
  node: Execution,
) => { chain: Chain; execution: Partial<Execution> }

/** What is different for a chain in this process. */
export type LocalChain = {
  /** Its accounts. @default those of the configured index */
  accountIndex?: AccountIndex | undefined
  /** Whether the chain is in this process, so that its head is followed even to a lower block. */
  isInProcess: boolean
  /** Its runs of empty blocks. */
  nextRun?: NextRun | undefined
  /** What it answers itself. @default nothing: its node interface is asked */
  ownChain?: OwnChain | undefined
  /** The energy price of a block that has one of its own, by its hash. */
  priceOfBlock?: ((hash: Hash) => bigint | undefined) | undefined
}

/** The chain as clients see it: the head, the blocks in memory, the index, and both views. */
export type Views = ReturnType<typeof createViews>

/** Transactions of a block above which reading one of them without the block costs less also over gRPC. */
const DENSE = 50

/** Blocks of which an average is taken. */
const AVERAGED = 16

/** Memory for transactions that were read without their blocks, as a share of the memory for blocks and in addition to it. */
const LONE_SHARE = 1 / 32

/** Creates the views of a chain. Sends no call to the node before the head starts. */
export function createViews(
  { config, identity, node, own, telemetry }: ServiceNeeds,
  redis: RedisLink | undefined,
) {
  const { isInProcess, priceOfBlock } = own
  const { log, recorder, step } = telemetry
  const { headNative, native, upstreams } = node
  const hasGrpc = () => upstreams?.hasGrpc() === true
  const isSpare = () => upstreams?.isSpare() === true
  const genesis = `0x${identity.genesis}` as const
  // Replicas share a journal of every block.
  const nextRun = redis ? undefined : own.nextRun
  const prices = createEnergyPrices({ native: headNative, priceOfBlock })
  const head = createHead({
    isInProcess,
    baseFee: config.feeSignal === 'eip1559' ? (block) => prices.of(block) : undefined,
    genesis,
    log,
    native: headNative,
    nextRun,
    onLoaded(loaded) {
      blocks.put(contentOf(loaded))
      store?.loaded(loaded)
    },
    onReplaced: () => prices.forget(),
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
  const store = createGatewayStore({
    config,
    head,
    identity,
    log,
    native,
    use: (from) => node.useStore(from),
  })
  /** Transactions of a block now. */
  let density = 0
  head.onUpdate(({ added }) => {
    for (const { transactions } of added) density += (transactions.length - density) / AVERAGED
  })
  const lone = createLoneTransactions({
    blocks,
    bytes: Math.floor(config.cacheBytes * LONE_SHARE),
    isBetter: async (hash) =>
      (upstreams?.isFar() === true || !hasGrpc() || density > DENSE) &&
      !(await store?.has(hash.slice(2))),
    native,
    newest: () => head.solid().number,
    rpc: () => node.rpc(),
  })
  const index = createGatewayIndex({ config, head, identity, log })
  const options = {
    accountIndex: index ?? own.accountIndex,
    blocks,
    caches: createChainCaches({ blocks, config, head, isSpare, native, prices }),
    chainId: identity.chainId,
    config,
    genesis,
    hasGrpc,
    head,
    hints: config.logsTrustNode === 'on' ? createLogHints({ rpc: () => node.rpc() }) : undefined,
    index,
    lone: config.logsTrustNode === 'on' ? lone : undefined,
    native,
    nextRun,
    onLogs: (origins: Parameters<typeof recorder.logs>[0]) => recorder.logs(origins),
  }
  return {
    blocks,
    full: createChain({ ...options, view: 'full' }),
    genesis,
    head,
    index,
    solid: createChain({ ...options, view: 'solid' }),
    store,
  }
}
