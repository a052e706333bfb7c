import type { Hash } from 'viem'

import { toRpcTransactionAt } from '../../codec/block.ts'
import { toHash } from '../../codec/quantity.ts'
import { toRpcReceipt } from '../../codec/receipt.ts'
import { toRpcTransaction } from '../../codec/transaction.ts'
import type { RpcReceipt, RpcTransaction } from '../../codec/types.ts'
import type { Call } from '../../lib/call.ts'
import { UpstreamError } from '../../lib/errors.ts'
import { fromPrepared, toPrepared, type Prepared } from '../../lib/prepared.ts'
import type { NativeClient } from '../../native/client.ts'
import type { Transaction } from '../../native/wire/types.ts'
import type { HeadBlock } from '../head/headTypes.ts'
import type { Blocks, CanonicalView } from './blocks.ts'
import type { CachedBlock, BlockContext } from './cachedBlock.ts'
import type { EnergyPrices } from './energyPrices.ts'
import type { LoneTransactions } from './loneTransactions.ts'

/** A transaction that was found, and its answers. */
type Place = {
  transaction(): Promise<Prepared<RpcTransaction> | undefined>
  receipt(): Promise<Prepared<RpcReceipt> | undefined>
}

/** Finds transactions by hash, in one view of the chain. */
export function createTransactions({
  blocks,
  chainId,
  head,
  latest,
  lone,
  native,
  blockContext,
  priceAt,
  view,
}: createTransactions.Options) {
  const reads = view === 'full' ? native.wallet : native.solidity
  let genesis: ReadonlyMap<Hash, number> | undefined

  /** `'elsewhere'`: in a block that this view does not have yet, or that a reorg removed. */
  async function locate(
    hash: Hash,
    call: Call | undefined,
  ): Promise<Place | 'elsewhere' | undefined> {
    const cached = blocks.withTransaction(hash)
    if (cached) {
      const isSeen = cached.id.number <= latest().number
      return isSeen ? placeIn(cached, hash) : 'elsewhere'
    }
    const recent = head.blockWith(hash)?.number
    const found = recent === undefined ? await alone(hash, call) : undefined
    if (found) return found
    const number = recent ?? (await numberOf(hash, call))
    if (number === undefined) return undefined
    if (number > latest().number) {
      head.pollNow()
      return 'elsewhere'
    }
    // The node may be on another branch than the head.
    const block = await blocks.get(number, call)
    return (block && placeIn(block, hash)) ?? 'elsewhere'
  }

  /** A transaction that is read without its block; undefined when its block has to be read. */
  async function alone(hash: Hash, call: Call | undefined): Promise<Place | undefined> {
    const read = await lone?.get(hash, call)
    if (!read) return undefined
    const { block, index, info, transaction } = read
    const energyPrice = await priceAt(block.block_header.raw_data.timestamp ?? 0)
    if (energyPrice === undefined) return undefined
    const place = { block, index, info }
    return {
      transaction: async () =>
        toPrepared(toRpcTransactionAt(place, transaction, { chainId, energyPrice })),
      receipt: async () => toPrepared(toRpcReceipt(block, read, { ...read, energyPrice })),
    }
  }

  function placeIn(block: CachedBlock, hash: Hash): Place | undefined {
    const index = block.transactions.indexOf(hash)
    if (index < 0) return undefined
    return {
      transaction: async () => block.transaction(index, await blockContext(block)),
      receipt: async () => block.receipt(index, await blockContext(block)),
    }
  }

  /** The height at which the node has a transaction. A lagging node does not have the newest transactions. */
  function numberOf(hash: Hash, call: Call | undefined): Promise<number | undefined> {
    return reads.getTransactionHeight({ value: hash.slice(2) }, call)
  }

  /** The node finds no transaction of genesis by its hash. */
  async function inGenesis(hash: Hash): Promise<Place | undefined> {
    if (genesis && !genesis.has(hash)) return undefined
    const block = await blocks.get(0)
    genesis ??= new Map(block?.transactions.map((hash, index) => [hash, index]))
    return block && placeIn(block, hash)
  }

  async function rowOf(place: Place): Promise<RpcTransaction | undefined> {
    const row = await place.transaction()
    return row && fromPrepared(row)
  }

  async function pending(transaction: Transaction): Promise<RpcTransaction> {
    const row = toRpcTransaction(transaction, await blockContext())
    return transaction.ethereum ? row : { ...row, nonce: PENDING_NONCE }
  }

  return {
    /** A transaction in a canonical block of this view except genesis; undefined when in none. @throws UpstreamError */
    async place(hash: Hash, call?: Call): Promise<Place | undefined> {
      const place = await locate(hash, call)
      return place === 'elsewhere' ? undefined : place
    },

    /** A transaction in a block or, in the full view, in the mempool. @throws UpstreamError */
    async find(hash: Hash, call?: Call): Promise<RpcTransaction | undefined> {
      const place = await locate(hash, call)
      if (place && place !== 'elsewhere') return rowOf(place)
      if (view === 'full') {
        const transaction = await native.wallet.getTransactionById({ value: hash.slice(2) }, call)
        if (transaction && toHash(transaction.txID) === hash) {
          // It has left the mempool. So it is in a block, and the node should have its outcome.
          if (!place && hasExpired(transaction, latest()))
            throw new UpstreamError(
              'the node does not have the transaction info of this transaction',
            )
          return pending(transaction)
        }
      }
      const first = await inGenesis(hash)
      return first && rowOf(first)
    },
  }
}

export declare namespace createTransactions {
  type Reads = Pick<NativeClient['wallet'], 'getTransactionHeight'>
  type Options = {
    native: {
      wallet: Reads & Pick<NativeClient['wallet'], 'getTransactionById'>
      solidity: Reads
    }
    blocks: Pick<Blocks, 'get' | 'withTransaction'>
    head: Pick<CanonicalView, 'blockWith' | 'pollNow'>
    /** Newest block of the view. */
    latest: () => HeadBlock
    chainId: number
    /** Reads transactions without their blocks; undefined where every block is read. */
    lone: LoneTransactions | undefined
    /** See `EnergyPrices`. */
    priceAt: EnergyPrices['at']
    /** The values that answers about the transactions of a block need. Without a block, they are those of the next block. */
    blockContext: (block?: CachedBlock) => Promise<BlockContext>
    view: 'full' | 'solid'
  }
}

/**
 * The nonce of a pending transaction. No mined transaction has this nonce: tools regard a mined transaction with the
 * sender and nonce of a pending one as its replacement, and would report the wrong outcome.
 */
const PENDING_NONCE = '0x7fffffff'

/**
 * The mempool drops a transaction when a block has a later time than its expiration. Ethereum transactions of the development chain
 * wait without a limit of time.
 */
function hasExpired(
  { ethereum, raw_data: { expiration } }: Transaction,
  latest: HeadBlock,
): boolean {
  return !ethereum && expiration !== undefined && expiration <= latest.timestamp
}
