import { createBlocks } from '../../src/chain/blocks/blocks.ts'
import {
  createInternalTransactions,
  type InternalTransactions,
} from '../../src/chain/blocks/internalTransactions.ts'
import { createChain } from '../../src/chain/chain.ts'
import type { HeadBlock } from '../../src/chain/head/headTypes.ts'
import { type Config, createConfig } from '../../src/config/config.ts'
import { silentLog } from '../../src/gateway/log.ts'
import { createCursorStore } from '../../src/gateway/parts/cursorStore.ts'
import { createFeeds } from '../../src/gateway/parts/feeds.ts'
import { createHeldBytes } from '../../src/lib/heldBytes.ts'
import { createNodeClient } from '../../src/native/client.ts'
import { createNodeRpc } from '../../src/native/transport/nodeRpc.ts'
import { createHttpTransport } from '../../src/native/transport/transport.ts'
import type { Context } from '../../src/rpc/context.ts'
import { createNodeExecution } from '../../src/rpc/execution/nodeExecution.ts'
import { createManagedKeys } from '../../src/sending/keys.ts'
import { createMemorySentStore } from '../../src/sending/memorySentStore.ts'
import { createSending } from '../../src/sending/sending.ts'
import { atEnd } from './atEnd.ts'
import { recordedNative, type ReplayNode, startReplayNode } from './node.ts'
import { CHAIN } from './recordedChain.ts'

/**
 * A context for methods, made of the real parts, with a separate replay node. The head is always block 223, and the blocks
 * up to `solid` are solidified. It ends with the test.
 */
export async function createReplayContext({
  config: given = {},
  intercept,
  keys = [],
  nodeRpc = false,
  solid = CHAIN.head,
  view = 'full',
}: createReplayContext.Options = {}): Promise<
  Context & {
    internal: InternalTransactions
    mine: (transaction: string) => void
    node: ReplayNode
  }
> {
  const node = await startReplayNode(intercept ? { intercept } : {})
  const config = createConfig({ upstream: node.url, ...given })
  const native = createNodeClient({ transport: createHttpTransport({ upstream: node.url }) })
  const rpc = nodeRpc ? createNodeRpc({ url: node.rpcUrl }) : undefined
  atEnd(async () => {
    await rpc?.close()
    await native.close()
    await node.close()
  })
  const mined = new Set<string>()
  const head = {
    at: (number: number) => (number <= CHAIN.head ? headBlock(number) : undefined),
    blockWith: (transaction: string) =>
      mined.has(transaction) ? headBlock(CHAIN.head) : undefined,
    latest: () => headBlock(CHAIN.head),
    solid: () => headBlock(solid),
    onUpdate: () => () => {},
    pollNow: () => {},
    window: () => undefined,
  }
  const blocks = createBlocks({ cacheBytes: config.cacheBytes, head, native })
  const chain = createChain({
    blocks,
    chainId: CHAIN.chainId,
    config,
    genesis: headBlock(0).hash,
    head,
    native,
    view,
  })
  const sending = createSending({
    chain,
    feeKind: config.feeSignal,
    predictedAddresses: config.predictedAddresses,
    head,
    keys: createManagedKeys(keys),
    native,
    store: createMemorySentStore(),
  })
  const held = createHeldBytes()
  const cursorStore = createCursorStore({
    chainId: CHAIN.chainId,
    config,
    genesis: headBlock(0).hash,
    held,
    isInProcess: true,
    redis: undefined,
  })
  const watching = createFeeds({
    chains: { full: chain, solid: chain },
    config,
    cursorStore: () => cursorStore.open(),
    head: {
      isShared: () => true,
      onUpdate: head.onUpdate,
      status: () => ({
        role: 'standalone',
        number: CHAIN.head,
        solid,
        age: 0,
        isStalled: false,
        upstream: 'up',
      }),
      window: () => undefined,
    },
    held,
    log: silentLog,
    native,
    redis: undefined,
  })
  atEnd(() => watching.stop())
  const internal = createInternalTransactions({ native, newest: () => CHAIN.head })
  return {
    chain,
    config,
    execution: createNodeExecution({
      chain,
      config,
      internal,
      native,
      nodeRpc: () => rpc,
      sending,
    }),
    internal,
    mine: (transaction) => void mined.add(transaction),
    native,
    node,
    nodeRpc: rpc,
    sending,
    ...watching[view],
  }
}

export declare namespace createReplayContext {
  type Options = startReplayNode.Options & {
    config?: Partial<Config>
    /** Private keys that the gateway manages. @default none */
    keys?: string[]
    /** Whether the node's own JSON-RPC is configured. @default false */
    nodeRpc?: boolean
    /** Height of the solidified block. @default the head */
    solid?: number
    /** @default 'full' */
    view?: 'full' | 'solid'
  }
}

/** A recorded block in the format of the head. */
export function headBlock(number: number): HeadBlock {
  const { blockID, block_header } = JSON.parse(
    recordedNative('/wallet/getblockbynum', { num: number }),
  ) as {
    blockID: string
    block_header: { raw_data: { parentHash: string; timestamp?: number } }
  }
  const { parentHash, timestamp = 0 } = block_header.raw_data
  return { hash: `0x${blockID}`, number, parentHash: `0x${parentHash}`, timestamp }
}
