import { join } from 'node:path'

import type { Head } from '../../chain/head/headTypes.ts'
import type { LoadedBlock } from '../../chain/reads/load.ts'
import type { Config } from '../../config/config.ts'
import { upstreamsOf } from '../../config/upstreamList.ts'
import { stateFolder } from '../../lib/stateFolder.ts'
import type { BlockSource } from '../../logIndex/blocks/throughStore.ts'
import { createBlockStore } from '../../logIndex/blockStore.ts'
import type { ChainIdentity } from '../../native/capabilities.ts'
import type { NativeClient } from '../../native/client.ts'
import { stringifyNative } from '../../native/wire/json.ts'
import type { Hex } from '../../native/wire/types.ts'

/** The store that the options name; undefined without one, and for a chain in this process. */
export function storeOf(
  config: Pick<Config, 'dataDir' | 'store' | 'storeBytes'> & Parameters<typeof upstreamsOf>[0],
  chainId: number,
): { address: string; limit: number } | undefined {
  const { dataDir, store, storeBytes: limit } = config
  if (store === 'off' || upstreamsOf(config).length === 0) return undefined
  if (store !== 'auto') return { address: store, limit }
  const folder = dataDir === undefined ? undefined : stateFolder(dataDir)
  return folder === undefined
    ? undefined
    : { address: join(folder, chainId.toString(16), 'blocks'), limit }
}

/** Final blocks that a node can lack without a fault: another node gave the newest ones, or it is still starting. */
const FAR = 100

/** Blocks above the solidified one whose content is kept until they are final. */
const MOST_RECENT = 100

/**
 * The store of final blocks, kept in step with the head. It answers once its newest block was compared with the node, because the chain may
 * have been reset while the gateway was down. When the chain goes back below its solidified block, the blocks above are removed.
 */
export function createGatewayStore({
  config,
  head,
  identity: { chainId, genesis },
  log,
  native,
  use,
}: createGatewayStore.Options) {
  const place = storeOf(config, chainId)
  if (!place) return undefined
  /** `closed` until the storage is open, or while blocks are removed. */
  let state: 'closed' | 'to compare' | 'comparing' | 'up' = 'closed'
  let solid = -1
  /** Whether the log says that the node lacks many blocks of the store. */
  let isFarSaid = false
  let recent: LoadedBlock[] = []
  const store = createBlockStore({
    ...place,
    genesis,
    log,
    onOpen() {
      state = 'to compare'
      void compare()
    },
  })
  const source: BlockSource = { ...store, solid: () => solid }

  /** Not after blocks had to be removed meanwhile. */
  const isComparing = () => state === 'comparing'

  /** Logs once that the node lacks many blocks that are stored, up to `number`. */
  function sayFar(number: number): void {
    if (isFarSaid || solid < 0 || number - solid <= FAR) return
    isFarSaid = true
    log.warn(
      `the store of blocks has final blocks up to ${number}, the node up to ${solid}: ` +
        'the store is kept and not used until the node has them',
    )
  }

  async function compare(): Promise<void> {
    const newest = store.usage()?.newest
    if (state !== 'to compare') return
    if (solid < (newest?.number ?? 0)) return sayFar(newest?.number ?? 0)
    state = 'comparing'
    try {
      const block = newest && (await native.wallet.getBlockByNum({ num: newest.number }))
      if (newest && !block) throw new Error('the node does not have its newest block')
      if (newest && block?.blockID !== newest.id) {
        log.warn('the store of blocks is of a chain that was reset: it is emptied')
        await store.dropFrom(0)
      }
      if (isComparing()) {
        state = 'up'
        use(source)
        settle()
      }
    } catch {
      // Tried again with the next block.
      if (isComparing()) state = 'to compare'
    }
  }

  async function drop(lowest: number): Promise<void> {
    use(undefined)
    if (state === 'closed') return
    state = 'closed'
    await store.dropFrom(lowest)
    state = 'to compare'
    await compare()
  }

  head.onUpdate(({ added, removed, solidified }) => {
    const changed = Math.min(...[...added, ...removed].map(({ number }) => number))
    const isBelow = removed.some(({ number }) => number <= solid)
    solid = solidified.number
    // When the whole window was replaced, every height may have another block.
    if (isBelow) void drop(head.at(changed - 1) ? changed : 0).catch(() => {})
    else void compare()
    settle()
  })

  /** Stores the blocks that the head has read and that are final now. */
  function settle(): void {
    if (state !== 'up') return
    const later: LoadedBlock[] = []
    for (const loaded of recent) {
      const { blockID, block_header } = loaded.block
      const { number = 0 } = block_header.raw_data
      if (number > solid) later.push(loaded)
      else if (head.at(number)?.hash === `0x${blockID}`) keep(number, loaded)
    }
    recent = later
  }

  function keep(number: number, { block, infos }: LoadedBlock): void {
    store.keep({ kind: 'block', number, text: stringifyNative(block) })
    if (infos.length > 0) store.keep({ kind: 'outcomes', number, text: stringifyNative(infos) })
  }

  return {
    /** The head has read a block. It is stored when it is final. */
    loaded(block: LoadedBlock) {
      recent = [...recent, block].slice(-MOST_RECENT)
    },
    /** Whether it has the block of a transaction, and may answer. */
    has: async (id: Hex) =>
      state === 'up' && (await store.heightOf(id).catch(() => undefined)) !== undefined,
    start() {
      solid = head.window()?.solidified.number ?? -1
      store.start()
    },
    async stop() {
      use(undefined)
      await store.stop()
    },
    status() {
      const { blocks = 0, bytes = 0 } = store.usage() ?? {}
      const problem = store.problem()
      return {
        blocks,
        bytes,
        damaged: store.damaged(),
        isUp: state === 'up' && problem === undefined,
        problem,
      }
    },
  }
}

export declare namespace createGatewayStore {
  type Options = {
    config: Config
    head: Pick<Head, 'at' | 'onUpdate' | 'window'>
    identity: ChainIdentity
    log: createBlockStore.Options['log']
    native: NativeClient
    /** Lets the store answer reads, or not. */
    use: (store: BlockSource | undefined) => void
  }
}
