import type { Hash } from 'viem'

import type { Concerned } from '../../codec/accounts.ts'
import type { BlockId, BlockRef } from '../../codec/blockRef.ts'
import type { RpcBlock, RpcLog, RpcReceipt, RpcTransaction } from '../../codec/types.ts'
import type { Call } from '../../lib/call.ts'
import type { Prepared } from '../../lib/prepared.ts'
import type { HeadBlock } from '../head/headTypes.ts'
import type { AccountRequest } from '../reads/accountIndex.ts'
import type { BlockRange, NextRun } from '../reads/blockRange.ts'
import type { NativeTransaction } from '../reads/load.ts'
import type { PricedBlock } from './energyPrices.ts'

/** The chain as methods see it, in one view: `full` (latest = the head) or `solid` (latest = the solidified block). */
export type Chain = {
  view: 'full' | 'solid'
  /** Last four bytes of the genesis hash. */
  id: number
  genesis: Hash
  /** Another number after solidified blocks were replaced. */
  epoch(): number
  /** Newest block of this view. */
  latest(): HeadBlock
  solid(): HeadBlock
  /** The canonical block that a reference names; undefined when there is none (yet). */
  resolve(ref: BlockRef, call?: Call): Promise<BlockId | undefined>
  /** The heights of a range; `latest` and `pending` leave its end open. @throws BeyondHeadError, RpcError */
  range(from: BlockRef, to: BlockRef, call?: Call): Promise<BlockRange>
  /** The source that answers a state read at this reference. @throws HistoricalStateError, RpcError */
  state(ref: BlockRef): Promise<StateSource>
  block(
    ref: BlockRef,
    full: boolean,
    call?: Call,
  ): Promise<Prepared<RpcBlock> | undefined> | Prepared<RpcBlock>
  /** A transaction of a block as the node sends it, and the time of the block in milliseconds. */
  nativeAt(
    number: number,
    index: number,
    call?: Call,
  ): Promise<(NativeTransaction & { timestamp: number }) | undefined>
  /** Number of transactions of a block. Does not build their answers. */
  transactionCount(ref: BlockRef, call?: Call): Promise<number | undefined>
  /** One transaction of a block; undefined when there is no such block or index. */
  transactionAt(
    ref: BlockRef,
    index: number,
    call?: Call,
  ): Promise<Prepared<RpcTransaction> | undefined>
  receipts(ref: BlockRef, call?: Call): Promise<Prepared<RpcReceipt[]> | undefined>
  receipt(hash: Hash, call?: Call): Promise<Prepared<RpcReceipt> | undefined>
  /** In a block, or pending (null block fields). */
  transaction(hash: Hash, call?: Call): Promise<RpcTransaction | undefined>
  logs(query: LogQuery, call?: Call): Promise<Prepared<RpcLog[]>>
  /** The next logs of a range. @throws as `logs`, except for too many logs or blocks: a page ends before either limit */
  logPage(
    query: LogMatch & { fromBlock: BlockRef; toBlock: BlockRef },
    page: { cursor?: LogCursor | undefined; limit: number },
    call?: Call,
  ): Promise<LogPage>
  /** The number of logs of a range that match. @throws as `logs` */
  countLogs(
    query: LogMatch & { fromBlock: BlockRef; toBlock: BlockRef },
    call?: Call,
  ): Promise<number>
  /**
   * The logs of a range of heights that exist, each as a separate row, never from the node's own search. A single block has no limit
   * of results.
   *
   * @throws as `logs`
   */
  logRows(match: LogMatch, range: BlockRange, call?: Call): Promise<Prepared<RpcLog>[]>
  /**
   * A part of the history of an account. Without an index it reads at most `HISTORY_BLOCKS` blocks.
   *
   * @throws CursorError when a reorg removed the block of the bound; BeyondHeadError, UpstreamError
   */
  history(query: HistoryQuery, call?: Call): Promise<HistoryRows>
  /** Whether an index has the accounts of this chain. */
  hasHistory: boolean
  /** The runs of empty blocks of a chain in this process; absent for nodes. */
  nextRun?: NextRun | undefined
  /** Energy price in sun that a block pays. Without a block, it is the current price, which the next block pays. */
  energyPrice(block?: PricedBlock): Promise<bigint>
  /** The time in milliseconds before which the current energy price cannot change. */
  energyPriceCertainTo(): number
}

/**
 * The source of a state read: `latest` is /wallet, `solid` is /walletsolidity, `historic` is the balance history of a
 * node that keeps one. `block` of the first two is the block that the client named; their state may be newer.
 */
export type StateSource =
  | { at: 'latest' | 'solid'; block?: BlockId }
  | { at: 'historic'; block: BlockId }

/** Addresses and topics of a log search; an empty list matches everything. */
export type LogMatch = {
  /** 20 bytes, lower case. */
  addresses: string[]
  /** By position: `null` or an empty list matches any topic. */
  topics: (string[] | null)[]
}

/** A log search in one block or in a range of blocks. */
export type LogQuery = LogMatch & ({ blockHash: Hash } | { fromBlock: BlockRef; toBlock: BlockRef })

/** The end of a page: after a log, or after a whole block when `index` is absent. */
export type LogCursor = BlockId & { index?: number }

/** A page of logs: the rows as JSON, where they come from, and the start of the next page; undefined when the range is complete. */
export type LogPage = {
  logs: Prepared<RpcLog[]>
  origins: readonly LogOrigin[]
  next: LogCursor | undefined
}

/** What is asked of the history of an account. */
export type HistoryQuery = Omit<AccountRequest, 'from' | 'to'> & {
  /**
   * Only transactions beyond this one in the order of the request; without an index, beyond the block. A hash is checked to be on the
   * chain.
   */
  bound?: { number: number; index?: number | undefined; hash?: Hash | undefined } | undefined
}

/** A transaction of a history. */
export type HistoryRow = {
  id: BlockId
  index: number
  /** The sum of `KINDS`. */
  kinds: number
  /** Seconds. */
  timestamp: number
  /** The contracts that it created. */
  created: Concerned['created']
  transaction: Prepared<RpcTransaction>
  receipt: Prepared<RpcReceipt>
}

/** A part of a history, in the order of the request. */
export type HistoryRows = {
  rows: HistoryRow[]
  /** Whether there are more in the blocks that were searched. */
  hasMore: boolean
  /** The blocks that were searched. */
  searched: BlockRange
  /** Set when the search ended before the chain does, because no index has the accounts of the next blocks. */
  isCut: boolean
}

/**
 * How the logs of a range of blocks were found: in the log index, in memory, in the receipts of the node, or where the node's own
 * search said that they are. The last one can miss logs, because a node may have no bloom filter of a block.
 */
export type LogOrigin = BlockRange & {
  source: 'index' | 'memory' | 'receipts' | 'nodeSearch'
}
