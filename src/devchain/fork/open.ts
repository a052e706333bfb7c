import { join } from 'node:path'

import { LRUCache } from 'lru-cache'

import { createCapabilities } from '../../native/capabilities.ts'
import { createNodeClient } from '../../native/client.ts'
import type { NodeRpc } from '../../native/transport/nodeRpc.ts'
import type { NativeTransport } from '../../native/transport/transport.ts'
import type { ChainBlock } from '../blocks/block.ts'
import { ForkError } from '../state/errors.ts'
import type { StateReader } from '../state/state.ts'
import { createForkState, type Entries } from './base.ts'
import { balanceAt, createBlockReads, probeReach, type Reach } from './blockReads.ts'
import { createEarlierBlocks, isHash, toForkBlock } from './blocks.ts'
import { createDiskCache } from './diskCache.ts'
import { createForkReader } from './read.ts'
import { missingSettings, readSettings } from './settings.ts'

/** The chain of a node that a chain in this process forks. */
export type Fork = Awaited<ReturnType<typeof openFork>>

/**
 * Opens the chain of a node at a block.
 *
 * @throws ForkError when the block does not exist; UpstreamError when the node does not answer.
 */
export async function openFork({ cache, number, rpc, transport, urls }: openFork.Options) {
  const native = createNodeClient({ transport })
  const node = { native, rpc }
  const blocks = createEarlierBlocks(native)
  const block =
    number === undefined
      ? toForkBlock(await native.wallet.getNowBlock())
      : await blocks.fetch(number)
  const capabilities = createCapabilities({ native })
  const { chainId, genesis } = await capabilities.identity()
  if (!isHash(genesis)) throw new ForkError('the id of the genesis block of the node is no hash')
  const reach = await probeReach(node, block.header.number, capabilities)
  const disk =
    cache === undefined ? undefined : createDiskCache(fileIn(cache, genesis, block, reach))
  const kept = disk?.read() ?? []
  // Values from the disk cache do not change.
  const settings = await missingSettings(kept, () => readSettings(native, block))
  disk?.append(settings)
  const known = [...kept, ...settings]

  const stateOf = ({ header, id }: ChainBlock, entries: Entries, keep = disk?.append) =>
    createForkState({
      known: entries,
      keep,
      read: createForkReader({
        exact: createBlockReads(node, { id, number: header.number }, reach),
        native,
        timestamp: header.timestamp,
      }),
    })

  const ask = (operation: string, body: unknown): Promise<unknown> =>
    native.call('wallet', operation, body)
  const answers = new Map<string, Promise<unknown>>()
  const earlier = new LRUCache<number, StateReader>({ max: MAX_STATES })
  const everywhere = known.filter(([name]) => /^(parameter|prices):/.test(name))

  return {
    /** The fork block, without its transactions. */
    block,
    chainId,
    /** The URLs of the node and of its JSON-RPC. */
    urls,
    /** The time of each kind of state: the fork block or the first read. */
    reach,
    /** The state after that block. Reads throw MissingStateError if a value must be fetched first. */
    state: stateOf(block, known),
    /** An earlier block, without its transactions. @throws MissingStateError if it must be fetched first */
    blockAt: (number: number) => blocks.at(number),
    /** The state after an earlier block. @throws ForkError when the node does not keep it; MissingStateError */
    stateAt(number: number): StateReader {
      if (reach.storage !== 'block') throw noState(number)
      const open = earlier.get(number)
      if (open) return open
      // A call that waited for a value from the node gets the state from here again. With each value the state counts as used, so that it
      // is not dropped for those of other blocks.
      const keep = () => void earlier.set(number, state)
      const state = stateOf(blocks.at(number), everywhere, keep)
      keep()
      return state
    },
    /** The balance of an account after an earlier block. @throws ForkError when the node does not keep it */
    async balanceAt(address: string, number: number): Promise<bigint> {
      if (reach.balance === 'now') throw noState(number)
      const { id } = await blocks.fetch(number)
      if (reach.storage !== 'block') return balanceAt(native, address, { id, number })
      return (await createBlockReads(node, { id, number }, reach).balance(address)) ?? 0n
    },
    /** Calls an operation of the node and returns the answer as received. @throws UpstreamError, NodeRefusedError */
    ask,
    /** The same for answers that never change. Each is fetched once. */
    askOnce(operation: string, body: unknown): Promise<unknown> {
      const key = `${operation} ${JSON.stringify(body)}`
      const answer = answers.get(key) ?? ask(operation, body)
      answers.set(key, answer)
      answer.catch(() => answers.delete(key))
      return answer
    },
    async close(): Promise<void> {
      await Promise.all([native.close(), rpc?.close()])
    },
  }
}

export declare namespace openFork {
  type Options = {
    transport: NativeTransport
    /** The URLs of the node. */
    urls: readonly string[]
    /** The node's own JSON-RPC. */
    rpc?: NodeRpc | undefined
    /** @default the newest */
    number?: number | undefined
    /** Folder of the disk cache. @default no disk cache */
    cache?: string | undefined
  }
}

/** Maximum number of states of earlier blocks in memory. */
const MAX_STATES = 32

const noState = (number: number) =>
  new ForkError(
    `the state after block ${number} is not available: the block is before the fork, and the forked node does not keep past state`,
  )

/**
 * The file of the disk cache. Its name depends on which state is exact at the block, so that exact and inexact values do
 * not mix.
 */
function fileIn(folder: string, genesis: string, { header, id }: ChainBlock, reach: Reach): string {
  const exact = Object.entries(reach)
    .filter(([, exactness]) => exactness === 'block')
    .map(([kind]) => kind)
  const name = exact.length > 0 ? exact.join('-') : 'now'
  return join(folder, `${genesis.slice(-8)}-${header.number}-${id.slice(-8)}`, `${name}.jsonl`)
}
