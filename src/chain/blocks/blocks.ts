import { LRUCache } from 'lru-cache'
import type { Hash } from 'viem'

import { heightOfHash } from '../../codec/blockRef.ts'
import { toHash } from '../../codec/quantity.ts'
import type { RpcBlock } from '../../codec/types.ts'
import type { Call } from '../../lib/call.ts'
import { UpstreamError } from '../../lib/errors.ts'
import type { Prepared } from '../../lib/prepared.ts'
import { sleep } from '../../lib/sleep.ts'
import { createDedupe } from '../../native/dedupe.ts'
import type { ChainUpdate, Head } from '../head/headTypes.ts'
import {
  type BlockContent,
  type BlockRangeSource,
  type BlockSource,
  loadContent,
  readBlocks,
} from '../reads/load.ts'
import { type CachedBlock, createCachedBlock } from './cachedBlock.ts'
import { createReadAhead } from './readAhead.ts'
import { createRuns } from './runs.ts'

/**
 * The blocks of the canonical chain. Each is read once and cached while memory allows.
 *
 * The cache is keyed by hash. Above the solidified block the head decides which block is canonical; at and below it the
 * hash of a height never changes. So a reorg takes effect at once, and the cache never has to remove a block.
 */
export type Blocks = ReturnType<typeof createBlocks>

/** The part of the head that decides what is canonical. */
export type CanonicalView = Pick<
  Head,
  'at' | 'blockWith' | 'latest' | 'solid' | 'onUpdate' | 'pollNow'
>

/** Attempts to read a block that the head has. A node behind a load balancer, or in a reorg, may get it a moment later. */
const ATTEMPTS = 4
const RETRY_DELAY = 150

/** Creates the cache of blocks. It reads missing blocks from `native`. */
export function createBlocks({
  cacheBytes,
  hasGrpc,
  head,
  isSpare = () => false,
  native,
  onMiss,
}: createBlocks.Options) {
  const cache = new LRUCache<Hash, { block: CachedBlock }>({
    // The library accepts only positive sizes. A cache of one byte stores no block.
    maxSize: Math.max(cacheBytes, 1),
    sizeCalculation: ({ block }) => block.bytes(),
    dispose: ({ block }, _hash, reason) => {
      if (reason !== 'set') removeFromMaps(block)
    },
  })
  /** Hashes of solidified blocks in the cache, by height. */
  const solidHashes = new Map<number, Hash>()
  /** Which block in the cache holds a transaction. */
  const transactions = new Map<Hash, Hash>()
  const dedupe = createDedupe()
  const readAhead = createReadAhead({
    isSpare: () => cacheBytes >= AHEAD_BYTES && isSpare(),
    newest: () => head.solid().number,
    read: async (number, call) => peek(number) ?? read(number, call),
  })
  const readTogether = createRuns((range, call) => readBlocks(native, range, call))
  /** Newest height that was solidified. */
  let solidTo = -1
  let epoch = 0
  let hits = 0
  let misses = 0

  function removeFromMaps({ id, transactions: hashes }: CachedBlock): void {
    if (solidHashes.get(id.number) === id.hash) solidHashes.delete(id.number)
    for (const hash of hashes) if (transactions.get(hash) === id.hash) transactions.delete(hash)
  }

  function put(loaded: BlockContent): CachedBlock {
    const hash = toHash(loaded.block.blockID)
    const known = cache.get(hash)
    if (known) return known.block
    const block = createCachedBlock(loaded, () => {
      // The cache reads the size of a value only when it is set.
      if (cache.peek(hash)?.block === block) cache.set(hash, { block })
    })
    cache.set(hash, { block })
    if (cache.has(hash))
      for (const transaction of block.transactions) transactions.set(transaction, hash)
    return block
  }

  function putSolid(loaded: BlockContent): CachedBlock {
    const block = put(loaded)
    if (cache.has(block.id.hash)) solidHashes.set(block.id.number, block.id.hash)
    return block
  }

  function hashAt(number: number): Hash | undefined {
    return head.at(number)?.hash ?? solidHashes.get(number)
  }

  function peek(number: number): CachedBlock | undefined {
    const hash = hashAt(number)
    return hash === undefined ? undefined : cache.get(hash)?.block
  }

  /**
   * Keeps the hashes of newly solidified blocks by height, because the head's window drops them later. When the chain
   * goes back below its solidified block, the hashes above are dropped.
   */
  function onUpdate(update: ChainUpdate): void {
    const { added, removed, solidified: solid } = update
    const changed = Math.min(...[...added, ...removed].map(({ number }) => number))
    // When the whole window was replaced, the chain was reset: every height may have another hash.
    const isReset = removed.length > 0 && head.at(changed - 1) === undefined
    const lowest = isReset ? 0 : Math.min(solid.number + 1, ...removed.map(({ number }) => number))
    if (lowest <= solidTo) {
      epoch += 1
      solidTo = lowest - 1
      for (const number of solidHashes.keys()) if (number >= lowest) solidHashes.delete(number)
    }
    for (
      let number = Math.max(solidTo + 1, solid.number - MAX_SOLIDIFIED);
      number <= solid.number;
      number++
    ) {
      const hash = head.at(number)?.hash
      if (hash !== undefined && cache.has(hash)) solidHashes.set(number, hash)
    }
    solidTo = Math.max(solidTo, solid.number)
  }

  async function load(number: number, call: Call | undefined): Promise<CachedBlock | undefined> {
    let readAt = epoch
    let together = number <= head.solid().number ? await readTogether(number, call) : undefined
    for (let attempt = 1; number <= head.latest().number; attempt++) {
      const options = { isCheap: hasGrpc?.(), known: together }
      const loaded = await loadContent(native, { number }, call, options)
      together = undefined
      // Compared after the answer: the head may have changed meanwhile, and a height below its window has no hash to compare.
      const canonical = hashAt(number)
      const isOfChain = readAt === epoch
      readAt = epoch
      if (
        loaded &&
        isOfChain &&
        (canonical === undefined || canonical === toHash(loaded.block.blockID))
      )
        return number <= head.solid().number ? putSolid(loaded) : put(loaded)
      head.pollNow()
      if (attempt === ATTEMPTS)
        throw new UpstreamError(`the node does not have the canonical block ${number} right now`)
      await sleep(RETRY_DELAY, call?.signal)
    }
    return undefined
  }

  async function get(number: number, call?: Call): Promise<CachedBlock | undefined> {
    if (number > head.latest().number) return undefined
    const found = peek(number)
    if (number <= head.solid().number) readAhead(number, call, found?.bytes())
    if (found) {
      hits++
      return found
    }
    misses++
    return read(number, call)
  }

  function read(number: number, call: Call | undefined): Promise<CachedBlock | undefined> {
    const key = `${number} ${hashAt(number) ?? ''}`
    const end = onMiss?.(number)
    const loading = dedupe(key, call, (call) => load(number, call))
    return end ? loading.finally(end) : loading
  }

  head.onUpdate(onUpdate)

  return {
    /** The canonical block of a height; undefined above the head. @throws UpstreamError, the signal's reason */
    get,
    /** The canonical hash of a height when it is known without a call. */
    hashAt,
    /** The cached canonical block of a height. */
    peek,
    /** The answer about the canonical block of a height, if it is cached and was built before. */
    built(number: number, isFull: boolean): Prepared<RpcBlock> | undefined {
      const answer = peek(number)?.built(isFull)
      if (answer) hits++
      return answer
    },
    /** Caches a block that was read elsewhere. It is served when the head says that it is canonical. */
    put,
    /** The canonical block with a hash; undefined when there is none or when it was orphaned. @throws UpstreamError */
    async byHash(hash: Hash, call?: Call): Promise<CachedBlock | undefined> {
      const number = heightOfHash(hash)
      if (number > head.latest().number) return undefined
      const canonical = hashAt(number)
      if (canonical !== undefined && canonical !== hash) return undefined
      const block = await get(number, call)
      return block?.id.hash === hash ? block : undefined
    },
    /** The canonical block that holds a transaction, when it is cached. */
    withTransaction(hash: Hash): CachedBlock | undefined {
      const blockHash = transactions.get(hash)
      const block = blockHash === undefined ? undefined : cache.get(blockHash)?.block
      return block && hashAt(block.id.number) === block.id.hash ? block : undefined
    },
    /** A number that changes when the chain goes back below its solidified block. */
    epoch: () => epoch,
    /** Hits and misses of the cache since the start; `bytes` is its present size. */
    usage: () => ({ bytes: cache.calculatedSize, hits, misses }),
  }
}

export declare namespace createBlocks {
  type Options = {
    native: BlockSource & BlockRangeSource
    head: CanonicalView
    /** Memory for blocks, in bytes; 0 keeps none. */
    cacheBytes: number
    /** Whether the nodes have time for reads that nobody has asked for. @default never */
    isSpare?: (() => boolean) | undefined
    /** Whether every node has a gRPC interface that works. @default none has one */
    hasGrpc?: (() => boolean) | undefined
    /** Called when a block has to be read from a node. The function that it returns is called when that has ended. */
    onMiss?: ((number: number) => (() => void) | undefined) | undefined
  }
}

/** A smaller cache could drop blocks before they are asked for. */
const AHEAD_BYTES = 32 * 1024 * 1024

/** Blocks that one update can solidify while the head's window still has them. */
const MAX_SOLIDIFIED = 1_000
