import { LRUCache } from 'lru-cache'
import type { Hash } from 'viem'

import type { Head } from '../chain/head/headTypes.ts'
import type { Call } from '../lib/call.ts'
import { RpcError } from '../lib/errors.ts'
import type { NativeClient } from '../native/client.ts'
import { createDedupe } from '../native/dedupe.ts'
import type { Transaction, TransactionInfo } from '../native/wire/types.ts'

/** One node on its own. `name` is undefined where the gateway has one node. */
export type OneNode = { name: string | undefined; native: NativeClient }

/** What one node has of a transaction. */
export type NodeLook = OneNode & {
  /** The transaction, when it is in the pool of the node. */
  waiting?: Transaction | undefined
  /** Its receipt, when it is in a block of the node. */
  info?: TransactionInfo | undefined
  /** Why the node could not be asked. */
  fault?: string
}

/** Asks each node for a transaction. A node that fails is part of the answer. */
export type NodeLooks = (hash: Hash, call: Call) => Promise<readonly NodeLook[]>

/**
 * Milliseconds for which an answer is used again until the next block, and the number of transactions with one. Many clients
 * may wait for the same one.
 */
const LIFETIME = 1_000
const MOST = 1_000

/** All nodes that serve the chain are asked at the same time. The first caller of an answer pays for it. */
export function createNodeLooks(head: Pick<Head, 'latest'>, nodes: () => OneNode[]): NodeLooks {
  const known = new LRUCache<string, readonly NodeLook[]>({ max: MOST, ttl: LIFETIME })
  const dedupe = createDedupe()
  return async (hash, call) => {
    const key = `${hash} ${head.latest().hash}`
    return (
      known.get(key) ??
      dedupe(key, call, async (shared) => {
        const looks = await Promise.all(nodes().map((node) => look(node, hash.slice(2), shared)))
        known.set(key, looks)
        return looks
      })
    )
  }
}

async function look(node: OneNode, value: string, call?: Call): Promise<NodeLook> {
  const { wallet } = node.native
  try {
    const waiting = await wallet.getTransactionFromPending({ value }, call)
    // It may have left the pool for a block since that was looked up the last time.
    const info = waiting ? undefined : await wallet.getTransactionInfoById({ value }, call)
    return { ...node, waiting, info }
  } catch (error) {
    call?.signal?.throwIfAborted()
    if (error instanceof RpcError) return { ...node, fault: error.message }
    throw error
  }
}
