import type { Hash } from 'viem'

import { type BlockId, type BlockRef, heightOfHash } from '../codec/blockRef.ts'
import type { RpcBlock, RpcReceipt, RpcTransaction } from '../codec/types.ts'
import type { Config } from '../config/config.ts'
import type { Call } from '../lib/call.ts'
import { BeyondHeadError, InvalidParamsError, RpcError } from '../lib/errors.ts'
import { ownPrepared, type Prepared } from '../lib/prepared.ts'
import type { NativeClient } from '../native/client.ts'
import type { Blocks, CanonicalView } from './blocks/blocks.ts'
import type { CachedBlock, BlockContext } from './blocks/cachedBlock.ts'
import type { Chain, HistoryRow, LogMatch, LogOrigin, LogQuery } from './blocks/chainTypes.ts'
import type { PricedBlock } from './blocks/energyPrices.ts'
import type { LoneTransactions } from './blocks/loneTransactions.ts'
import { createTransactions } from './blocks/transactions.ts'
import type { HeadBlock } from './head/headTypes.ts'
import { searchHistory } from './history.ts'
import { type ChainCaches, createChainCaches, type LogAnswer } from './logs/chainCaches.ts'
import { emptyRunIndex } from './logs/emptyRunIndex.ts'
import type { IndexedLogs } from './logs/indexedLogs.ts'
import type { LogHints } from './logs/logHints.ts'
import { countLogs, logRowsOfRange, logsOfBlock, logsOfRange } from './logs/logs.ts'
import { CursorError, logsAfter } from './logs/logsAfter.ts'
import type { AccountIndex } from './reads/accountIndex.ts'
import type { BlockRange, NextRun } from './reads/blockRange.ts'
import { stateSource } from './state/state.ts'

/**
 * The chain as methods see it. In the `solid` view the solidified block is the newest: blocks above it do not exist, and
 * transactions in them or in the pool are unknown.
 *
 * A failing upstream is an error, never an empty answer.
 */
export function createChain(options: createChain.Options): Chain {
  const { blocks, chainId, config, genesis, head, hints, native, hasGrpc, onLogs, nextRun, view } =
    options
  const { answers, prices, slim, spans } = options.caches ?? createChainCaches(options)
  const latest = (): HeadBlock => (view === 'full' ? head.latest() : head.solid())
  const transactions = createTransactions({
    blocks,
    blockContext,
    chainId,
    head,
    latest,
    lone: options.lone,
    native,
    priceAt: prices.at,
    view,
  })

  function priceOf(block?: PricedBlock): Promise<bigint> {
    return block ? prices.of(block) : prices.after(latest().timestamp)
  }

  async function blockContext(block?: CachedBlock): Promise<BlockContext> {
    const energyPrice = await priceOf(block && pricedBlock(block))
    return {
      chainId,
      energyPrice,
      baseFeePerGas: config.feeSignal === 'eip1559' ? energyPrice : undefined,
    }
  }

  function heightOf(ref: Exclude<BlockRef, object>): number {
    switch (ref) {
      case 'latest':
      case 'pending':
        return latest().number
      case 'safe':
      case 'finalized':
        return head.solid().number
      case 'earliest':
        return 0
      default:
        return ref
    }
  }

  async function find(ref: BlockRef, call?: Call): Promise<CachedBlock | undefined> {
    if (typeof ref === 'object') {
      const block = await blocks.byHash(ref.blockHash, call)
      return block && block.id.number <= latest().number ? block : undefined
    }
    const number = heightOf(ref)
    return number <= latest().number ? blocks.get(number, call) : undefined
  }

  /** Reads a solidified block without its transactions, if it is not cached and the nodes serve gRPC, which makes that cheap. */
  async function slimBlock(ref: BlockRef, call?: Call): Promise<Prepared<RpcBlock> | undefined> {
    if (typeof ref !== 'number' || ref > head.solid().number || !hasGrpc?.()) return undefined
    return blocks.peek(ref) ? undefined : slim.get(ref, call)
  }

  function builtBlock(ref: BlockRef, full: boolean): Prepared<RpcBlock> | undefined {
    if (typeof ref === 'object') return undefined
    const number = heightOf(ref)
    return number <= latest().number ? blocks.built(number, full) : undefined
  }

  async function readBlock(
    ref: BlockRef,
    full: boolean,
    call: Call | undefined,
  ): Promise<Prepared<RpcBlock> | undefined> {
    const read = full ? undefined : await slimBlock(ref, call)
    if (read) return read
    const block = await find(ref, call)
    if (!block) return undefined
    const context = await blockContext(block)
    return full ? block.full(context).whole : block.slim(context)
  }

  async function readNative(id: { value: string }, call: Call | undefined) {
    const [transaction, info] = await Promise.all([
      native.wallet.getTransactionById(id, call),
      native.wallet.getTransactionInfoById(id, call),
    ])
    return transaction && { transaction, info }
  }

  async function resolve(ref: BlockRef, call?: Call): Promise<BlockId | undefined> {
    if (typeof ref === 'object') return (await find(ref, call))?.id
    const number = heightOf(ref)
    if (number > latest().number) return undefined
    const hash = blocks.hashAt(number)
    return hash === undefined ? (await blocks.get(number, call))?.id : { hash, number }
  }

  async function rangeOf(from: BlockRef, to: BlockRef, call?: Call): Promise<BlockRange> {
    const bound = async (ref: BlockRef) => {
      if (typeof ref !== 'object') return heightOf(ref)
      const id = await resolve(ref, call)
      if (!id) throw unknownBlock()
      return id.number
    }
    const first = await bound(from)
    const isOpen = to === 'latest' || to === 'pending'
    const last = isOpen ? latest().number : await bound(to)
    if (first > last && !isOpen)
      throw new InvalidParamsError(0, 'please verify: fromBlock <= toBlock')
    requireReached(Math.max(first, last))
    return { from: first, to: last }
  }

  /** @throws BeyondHeadError when this view has no such block yet */
  function requireReached(number: number): void {
    const newest = latest().number
    if (number > newest) throw new BeyondHeadError(number, newest)
  }

  function searchOptions(call: Call | undefined): logsOfRange.Options {
    const { logsMaxBlocks: maxBlocks, logsMaxResults: maxResults } = config
    const index = options.index ?? (nextRun?.(0) && emptyRunIndex(nextRun))
    return { blocks, head, hints, index, maxBlocks, maxResults, native, hasGrpc, call, spans }
  }

  async function search(
    range: BlockRange,
    match: LogMatch,
    call: Call | undefined,
  ): Promise<LogAnswer> {
    // The hash of the last block identifies all blocks before it. Up to the solidified block its height does.
    const end = range.to <= head.solid().number ? range.to : blocks.hashAt(range.to)
    const key = `${blocks.epoch()} ${range.from} ${end} ${match.addresses.join()} ${JSON.stringify(match.topics)}`
    const known = answers.get(key)
    if (known) return known
    let origins: readonly LogOrigin[] = []
    const options = {
      ...searchOptions(call),
      onOrigins: (found: readonly LogOrigin[]) => (origins = found),
    }
    const logs = await logsOfRange(range, match, options)
    if (typeof end === 'number' || (end !== undefined && end === blocks.hashAt(range.to)))
      answers.set(key, { logs: ownPrepared(logs), origins })
    return { logs, origins }
  }

  return {
    epoch: blocks.epoch,
    genesis,
    id: chainId,
    latest,
    nextRun,
    range: rangeOf,
    resolve,
    solid: () => head.solid(),
    view,

    state: (ref) =>
      stateSource(ref, {
        latest: latest(),
        newest: view === 'full' ? 'latest' : 'solid',
        resolve,
        solid: head.solid(),
        window: config.stateWindow,
      }),

    // A promise takes longer than the rest of a call that is answered from memory.
    block: (ref, full, call) => builtBlock(ref, full) ?? readBlock(ref, full, call),

    async transactionCount(ref, call) {
      return (await find(ref, call))?.transactions.length
    },

    async transactionAt(ref, index, call) {
      const block = await find(ref, call)
      return block?.transaction(index, await blockContext(block))
    },

    async nativeAt(number, index, call) {
      const block = await find(number, call)
      const hash = block?.transactions[index]
      if (!block || hash === undefined) return undefined
      const found = block.native(index) ?? (await readNative({ value: hash.slice(2) }, call))
      return found && { ...found, timestamp: block.timestamp }
    },

    async receipts(ref, call) {
      const block = await find(ref, call)
      return block?.receipts(await blockContext(block)).whole
    },

    async receipt(hash, call) {
      return (await transactions.place(hash, call))?.receipt()
    },

    transaction: (hash, call) => transactions.find(hash, call),

    async logs(query, call) {
      if (isOfOneBlock(query)) {
        const { blockHash } = query
        const number = heightOfHash(blockHash)
        const isHere = blocks.peek(number)?.id.hash === blockHash
        const block = await find({ blockHash }, call)
        if (!block) throw unknownBlock()
        onLogs?.([{ from: number, to: number, source: isHere ? 'memory' : 'receipts' }])
        return logsOfBlock(block, query, { maxResults: config.logsMaxResults })
      }
      const range = await rangeOf(query.fromBlock, query.toBlock, call)
      const { logs, origins } = await search(range, query, call)
      onLogs?.(origins)
      return logs
    },

    async logPage(query, { cursor, limit }, call) {
      const range = await rangeOf(query.fromBlock, query.toBlock, call)
      // Another replica may have given a cursor on a block that this one has not reached yet.
      if (cursor) requireReached(cursor.number)
      const page = await logsAfter(range, query, {
        ...searchOptions(call),
        cursor,
        limit,
        resolve: (number) => resolve(number, call),
      })
      onLogs?.(page.origins)
      return page
    },

    hasHistory: options.accountIndex !== undefined,

    async history({ bound, ...query }, call) {
      if (bound?.hash) requireReached(bound.number)
      if (bound?.hash && (await resolve(bound.number, call))?.hash !== bound.hash)
        throw new CursorError()
      const { places, ...part } = await searchHistory(
        { ...query, bound },
        {
          blocks,
          index: options.accountIndex,
          latest: latest().number,
          maxBlocks: options.accountIndex ? HISTORY_BLOCKS : UNINDEXED_BLOCKS,
          call,
        },
      )
      const rows = places.map(async ({ block, index, kinds }): Promise<HistoryRow> => {
        const context = await blockContext(block)
        return {
          id: block.id,
          index,
          kinds,
          timestamp: Math.floor(block.timestamp / 1_000),
          created: block.concerned()[index]?.created ?? [],
          transaction: block.transaction(index, context) as Prepared<RpcTransaction>,
          receipt: block.receipt(index, context) as Prepared<RpcReceipt>,
        }
      })
      return { ...part, rows: await Promise.all(rows) }
    },

    async countLogs(query, call) {
      const range = await rangeOf(query.fromBlock, query.toBlock, call)
      return countLogs(range, query, { ...searchOptions(call), onOrigins: onLogs })
    },

    // Filters, subscriptions and cursors deliver each log once: a log that the node's search misses would never arrive. A single
    // block has no limit, because no shorter range has its logs.
    logRows: (match, range, call) =>
      logRowsOfRange(range, match, {
        ...searchOptions(call),
        hints: undefined,
        ...(range.from === range.to && { maxResults: Infinity }),
      }),

    energyPrice: priceOf,
    energyPriceCertainTo: () => prices.certainTo(),
  }
}

/** Blocks that one search for the transactions of an account reads beside the index: the newest ones, which no index has, are 64 to 200. */
const HISTORY_BLOCKS = 500

/** Blocks that one search reads without an index. Each can cost two calls. */
const UNINDEXED_BLOCKS = 20

function pricedBlock({ id, parentHash, timestamp }: CachedBlock): PricedBlock {
  return { hash: id.hash, parentHash, timestamp }
}

export declare namespace createChain {
  type Options = {
    native: NativeClient
    head: CanonicalView
    blocks: Blocks
    config: Pick<
      Config,
      | 'cacheBytes'
      | 'feeSignal'
      | 'logsConcurrency'
      | 'logsMaxBlocks'
      | 'logsMaxResults'
      | 'stateWindow'
    >
    /** Last four bytes of the genesis hash. */
    chainId: number
    genesis: Hash
    /** The node's own JSON-RPC, if configured. */
    hints?: LogHints | undefined
    /** Whether the nodes give whole blocks at little cost (see `readHinted`). */
    hasGrpc?: (() => boolean) | undefined
    /** Reads transactions without their blocks. @default every block is read */
    lone?: LoneTransactions | undefined
    /** The log index, if configured. */
    index?: IndexedLogs | undefined
    /** An index of accounts, if configured. */
    accountIndex?: AccountIndex | undefined
    /** The runs of empty blocks of a chain in this process. @default none */
    nextRun?: NextRun | undefined
    /** Learns where the logs of each answer were found. */
    onLogs?: ((origins: readonly LogOrigin[]) => void) | undefined
    view: 'full' | 'solid'
    /** The caches of another view of the same chain, to share them. @default new ones */
    caches?: ChainCaches
  }
}

function isOfOneBlock(query: LogQuery): query is LogMatch & { blockHash: Hash } {
  return 'blockHash' in query
}

/** An error, not an empty list: a reorg may have removed the block, and its transactions may be in another one. */
function unknownBlock(): RpcError {
  return new RpcError(-32000, 'unknown block')
}
