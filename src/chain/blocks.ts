import { LRUCache } from 'lru-cache'
import type { Hash } from 'viem'

import { toHash } from '../codec/quantity.ts'
import { UpstreamError } from '../errors.ts'
import { sleep } from '../lib/sleep.ts'
import { type CachedBlock, createCachedBlock } from './cachedBlock.ts'
import type { Head, ChainUpdate } from './headTypes.ts'
import { type BlockSource, loadBlock, type LoadedBlock } from './load.ts'

/**
 * The blocks of the canonical chain, each fetched once and kept while memory allows.
 *
 * Blocks are kept by hash. Which of them is the canonical one of a height is the head's knowledge above the solidified
 * block, and a fact that never changes from there down; so a reorg takes effect at once and nothing has to be purged.
 */
export type Blocks = {
  /** The canonical block of a height; undefined above the head. @throws UpstreamError */
  get(number: number): Promise<CachedBlock | undefined>
  /** The canonical block with a hash; undefined when there is none or when it was orphaned. @throws UpstreamError */
  byHash(hash: Hash): Promise<CachedBlock | undefined>
  /** The canonical block of a height when it is here already. */
  peek(number: number): CachedBlock | undefined
  /** The canonical hash of a height when it is known without asking. */
  hashAt(number: number): Hash | undefined
  /** The canonical block that holds a transaction, when it is here already. */
  withTransaction(hash: Hash): CachedBlock | undefined
  /** Takes in a block that was read elsewhere. It is served once the head says that it is canonical. */
  put(loaded: LoadedBlock): CachedBlock
  /** Takes in solidified blocks that were read by height from the node. */
  putSolid(loaded: LoadedBlock): CachedBlock
  bytes(): number
  /** Another number when the chain went back below its solidified block, which only a chain in this process does. */
  epoch(): number
}

/** The part of the head that decides what is canonical. */
export type CanonicalView = Pick<Head, 'at' | 'latest' | 'solid' | 'onUpdate' | 'pollNow'>

/** Tries to read the block that the head announced; a node behind a balancer or in a reorg needs a moment. */
const ATTEMPTS = 4
const RETRY_DELAY = 150

export function createBlocks({ cacheBytes, head, native }: createBlocks.Options): Blocks {
  const cache = new LRUCache<Hash, { block: CachedBlock }>({
    // The library wants a positive size; one byte holds nothing.
    maxSize: Math.max(cacheBytes, 1),
    sizeCalculation: ({ block }) => block.bytes(),
    dispose: ({ block }, _hash, reason) => {
      if (reason !== 'set') forget(block)
    },
  })
  /** Hashes of solidified blocks in the cache, by height. */
  const solidHashes = new Map<number, Hash>()
  /** Which block in the cache holds a transaction. */
  const transactions = new Map<Hash, Hash>()
  const loading = new Map<string, Promise<CachedBlock | undefined>>()
  /** Newest height whose block was taken for final. */
  let solidTo = -1
  let epoch = 0

  function forget({ id, transactions: hashes }: CachedBlock): void {
    if (solidHashes.get(id.number) === id.hash) solidHashes.delete(id.number)
    for (const hash of hashes) if (transactions.get(hash) === id.hash) transactions.delete(hash)
  }

  function put(loaded: LoadedBlock): CachedBlock {
    const hash = toHash(loaded.block.blockID)
    const known = cache.get(hash)
    if (known) return known.block
    const block = createCachedBlock(loaded, () => {
      // A new holder makes the cache weigh the block again.
      if (cache.peek(hash)?.block === block) cache.set(hash, { block })
    })
    cache.set(hash, { block })
    if (cache.has(hash))
      for (const transaction of block.transactions) transactions.set(transaction, hash)
    return block
  }

  function putSolid(loaded: LoadedBlock): CachedBlock {
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
   * Follows the solidified block: blocks that are about to leave the head's window are kept by height from now on. A chain
   * in this process may also go back below it, and then nothing that was taken for final counts any more.
   */
  function follow({ removed, solidified: solid }: ChainUpdate): void {
    const lowest = Math.min(solid.number + 1, ...removed.map(({ number }) => number))
    if (lowest <= solidTo) {
      epoch += 1
      solidTo = lowest - 1
      for (const number of solidHashes.keys()) if (number >= lowest) solidHashes.delete(number)
    }
    for (
      let number = Math.max(solidTo + 1, solid.number - MAX_STEP);
      number <= solid.number;
      number++
    ) {
      const hash = head.at(number)?.hash
      if (hash !== undefined && cache.has(hash)) solidHashes.set(number, hash)
    }
    solidTo = Math.max(solidTo, solid.number)
  }

  async function load(number: number): Promise<CachedBlock | undefined> {
    for (let attempt = 1; number <= head.latest().number; attempt++) {
      const loaded = await loadBlock(native, { number })
      // Asked after the answer came: the head may have moved meanwhile.
      const canonical = hashAt(number)
      if (loaded && (canonical === undefined || canonical === toHash(loaded.block.blockID)))
        return number <= head.solid().number ? putSolid(loaded) : put(loaded)
      head.pollNow()
      if (attempt === ATTEMPTS)
        throw new UpstreamError(`the node does not have the canonical block ${number} right now`)
      await sleep(RETRY_DELAY)
    }
    return undefined
  }

  async function get(number: number): Promise<CachedBlock | undefined> {
    if (number > head.latest().number) return undefined
    const found = peek(number)
    if (found) return found
    const key = `${number} ${hashAt(number) ?? ''}`
    let promise = loading.get(key)
    if (!promise) {
      promise = load(number).finally(() => loading.delete(key))
      loading.set(key, promise)
    }
    return promise
  }

  head.onUpdate(follow)

  return {
    get,
    hashAt,
    peek,
    put,
    putSolid,
    async byHash(hash) {
      const number = numberOf(hash)
      if (number === undefined || number > head.latest().number) return undefined
      const canonical = hashAt(number)
      if (canonical !== undefined && canonical !== hash) return undefined
      const block = await get(number)
      return block?.id.hash === hash ? block : undefined
    },
    withTransaction(hash) {
      const blockHash = transactions.get(hash)
      const block = blockHash === undefined ? undefined : cache.get(blockHash)?.block
      return block && hashAt(block.id.number) === block.id.hash ? block : undefined
    },
    bytes: () => cache.calculatedSize,
    epoch: () => epoch,
  }
}

export declare namespace createBlocks {
  type Options = {
    native: BlockSource
    head: CanonicalView
    /** Memory for blocks, in bytes; 0 keeps none. */
    cacheBytes: number
  }
}

/** Blocks that can become solid in one step and were still in the head's window. */
const MAX_STEP = 1_000

/** The height that a block hash begins with: eight bytes, big-endian. */
function numberOf(hash: Hash): number | undefined {
  const number = BigInt(hash.slice(0, 18))
  return number <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(number) : undefined
}
