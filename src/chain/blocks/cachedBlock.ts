import type { Hash } from 'viem'

import { type Concerned, concernedBy } from '../../codec/accounts.ts'
import {
  toRpcBlock,
  toRpcHeader,
  toRpcTransactionAt,
  toRpcTransactions,
} from '../../codec/block.ts'
import type { BlockId } from '../../codec/blockRef.ts'
import { toHash } from '../../codec/quantity.ts'
import { toRpcReceipt, toRpcReceipts } from '../../codec/receipt.ts'
import type { RpcBlock, RpcHeader, RpcReceipt, RpcTransaction } from '../../codec/types.ts'
import { type Wire, wireOfText } from '../../lib/wire.ts'
import { partiesIn } from '../../native/wire/parties.ts'
import type { Transaction } from '../../native/wire/types.ts'
import type { LoadedBlock, NativeTransaction } from '../load.ts'
import { createLogBlock, type LogBlock } from './logBlock.ts'
import { type Rows, toRows } from './rows.ts'

/**
 * Values that answers about a block need in addition to the block. They never change for a block, so the first use sets
 * them.
 */
export type BlockContext = {
  chainId: number
  /** Sun, as of the block's time. */
  energyPrice: bigint
  /** The base fee of the block, in sun. Absent if blocks announce no EIP-1559 fees. */
  baseFeePerGas?: bigint | undefined
}

/** A block with its answers as wire bytes. Each answer is built on first use and cached. */
export type CachedBlock = {
  readonly id: BlockId
  readonly parentHash: Hash
  /** Milliseconds. */
  readonly timestamp: number
  readonly transactions: readonly Hash[]
  slim(context?: Pick<BlockContext, 'baseFeePerGas'>): Wire<RpcBlock>
  full(context: BlockContext): Rows<RpcBlock, RpcTransaction>
  receipts(context: BlockContext): Rows<RpcReceipt[], RpcReceipt>
  /** One transaction. It does not build the others, until several were asked for. */
  transaction(index: number, context: BlockContext): Wire<RpcTransaction> | undefined
  /** One receipt; as `transaction`. */
  receipt(index: number, context: BlockContext): Wire<RpcReceipt> | undefined
  /** The answer with or without whole transactions if it was built before; then it needs no context. */
  built(isFull: boolean): Wire<RpcBlock> | undefined
  /** See `LogBlock`. */
  logs: LogBlock['logs']
  count: LogBlock['count']
  /** What each transaction concerns; none of genesis. */
  concerned(): readonly Concerned[]
  /** A transaction as the node sent it; undefined when it is not kept any more. */
  native(index: number): NativeTransaction | undefined
  /** Estimated memory, in bytes. */
  bytes(): number
}

/** `onGrow` is called after an answer was cached and `bytes()` has changed. */
export function createCachedBlock(input: LoadedBlock, onGrow: () => void): CachedBlock {
  const { block } = input
  const raw = block.block_header.raw_data
  const transactions = (block.transactions ?? []).map(({ txID }) => toHash(txID))
  const sourceBytes = estimate(input)

  let source: LoadedBlock | undefined = input
  let header: RpcHeader | undefined
  let slim: Wire<RpcBlock> | undefined
  let full: Rows<RpcBlock, RpcTransaction> | undefined
  let receipts: Rows<RpcReceipt[], RpcReceipt> | undefined
  let logs: LogBlock | undefined
  let concerned: readonly Concerned[] | undefined
  /** Answers about one transaction that were built alone. */
  let alone = 0

  /** Called after an answer was built: drops the native objects that no later answer needs. */
  function made(): void {
    if (slim && full) header = undefined
    if (source && slim && full && receipts && logs) {
      concerned ??= concernedIn(source)
      source = undefined
    }
    onGrow()
  }

  function headerOf(
    { block, infos }: LoadedBlock,
    { baseFeePerGas }: Pick<BlockContext, 'baseFeePerGas'>,
  ): RpcHeader {
    return (header ??= toRpcHeader(block, infos, { baseFeePerGas }))
  }

  function logBlock(): LogBlock {
    if (logs) return logs
    const { block, infos } = kept(source)
    logs = createLogBlock(block, infos)
    made()
    return logs
  }

  const view: CachedBlock = {
    id: { hash: toHash(block.blockID), number: raw.number ?? 0 },
    parentHash: toHash(raw.parentHash),
    timestamp: raw.timestamp ?? 0,
    transactions,

    slim(context = {}) {
      if (slim) return slim
      const block = toRpcBlock(headerOf(kept(source), context), transactions)
      slim = wireOfText(JSON.stringify(block))
      made()
      return slim
    },

    full(context) {
      if (full) return full
      const loaded = kept(source)
      const rows = toRpcTransactions(loaded.block, loaded.infos, context)
      full = toRows(
        rows.map((row) => JSON.stringify(row)),
        { name: 'transactions', object: { ...headerOf(loaded, context), uncles: [] } },
      )
      made()
      return full
    },

    receipts(context) {
      if (receipts) return receipts
      const { block, infos } = kept(source)
      receipts = toRows(toRpcReceipts(block, infos, context).map((row) => JSON.stringify(row)))
      made()
      return receipts
    },

    transaction(index, context) {
      const found = source?.block.transactions?.[index]
      if (full || !found || ++alone > ALONE) return view.full(context).row(index)
      const { block, infos } = kept(source)
      return wireOfText(JSON.stringify(toRpcTransactionAt({ block, infos, index }, found, context)))
    },

    receipt(index, context) {
      if (receipts || ++alone > ALONE) return view.receipts(context).row(index)
      const { block, infos } = kept(source)
      const row = toRpcReceipt(block, infos, { ...context, index })
      return row && wireOfText(JSON.stringify(row))
    },

    built: (isFull) => (isFull ? full?.whole : slim),
    logs: (matcher, after) => logBlock().logs(matcher, after),
    count: (matcher) => logBlock().count(matcher),

    concerned() {
      if (concerned) return concerned
      concerned = concernedIn(kept(source))
      made()
      return concerned
    },

    native(index) {
      const transaction = source?.block.transactions?.[index]
      return transaction && { transaction, info: source?.infos[index] }
    },

    bytes: () =>
      BLOCK_BYTES +
      transactions.length * TRANSACTION_BYTES +
      (header ? HEADER_BYTES : 0) +
      (source ? sourceBytes : 0) +
      (slim?.bytes.length ?? 0) +
      (full?.bytes ?? 0) +
      (receipts?.bytes ?? 0) +
      (concerned ? transactions.length * CONCERNED_BYTES : 0) +
      (logs?.bytes ?? 0),
  }
  return view
}

/**
 * Answers about one transaction of a block that are built alone. After them all are built: a client that reads a block transaction by
 * transaction needs all of them.
 */
const ALONE = 2

/** Memory of the closures and ids of a block, in bytes. */
const BLOCK_BYTES = 3_000
/** Memory of a header as an object, with its bloom as text. */
const HEADER_BYTES = 3_000
/** Memory of a hash and its entry in the index of transactions. */
const TRANSACTION_BYTES = 250
/** Memory of the accounts of a transaction, in bytes. */
const CONCERNED_BYTES = 600
/** Memory of a parsed transaction, its outcome and a log without their long hex strings. */
const PARSED_TRANSACTION_BYTES = 3_000
const PARSED_LOG_BYTES = 500

function concernedIn({ block, infos }: LoadedBlock): Concerned[] {
  return infos.map((info, index) =>
    concernedBy(partiesIn(block.transactions?.[index] as Transaction), info),
  )
}

/** Estimated memory of a parsed block. */
function estimate({ block, infos }: LoadedBlock): number {
  let bytes = 0
  // The node sends call data twice: in the raw bytes, and decoded inside the contract.
  for (const { ethereum, raw_data_hex } of block.transactions ?? [])
    bytes += PARSED_TRANSACTION_BYTES + 2 * raw_data_hex.length + lengthOf(ethereum?.['input'])
  for (const { contractResult = [], log = [] } of infos) {
    // The result of a deployment is the code.
    for (const result of contractResult) bytes += result.length
    for (const { data } of log) bytes += PARSED_LOG_BYTES + lengthOf(data)
  }
  return bytes
}

function lengthOf(text: unknown): number {
  return typeof text === 'string' ? text.length : 0
}

function kept(source: LoadedBlock | undefined): LoadedBlock {
  if (!source) throw new Error('the source of a block was dropped before its answers were built')
  return source
}
