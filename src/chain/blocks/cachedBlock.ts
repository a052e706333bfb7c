import { type Concerned, concernedBy } from '../../codec/accounts.ts'
import {
  toOutlineHeader,
  toRpcBlock,
  toRpcTransactionAt,
  toRpcTransactions,
} from '../../codec/block.ts'
import { toHash, toInt64 } from '../../codec/quantity.ts'
import { toRpcReceipt, toRpcReceipts } from '../../codec/receipt.ts'
import { blockSize } from '../../codec/size.ts'
import type { RpcBlock, RpcHeader, RpcReceipt, RpcTransaction } from '../../codec/types.ts'
import { type Prepared, preparedOfText } from '../../lib/prepared.ts'
import { partiesIn } from '../../native/wire/parties.ts'
import type { Transaction, TransactionInfo } from '../../native/wire/types.ts'
import type { OutcomeView } from '../../native/wire/views.ts'
import type { BlockContent, NativeTransaction } from '../reads/load.ts'
import { createLogBlock, type LogBlock } from './logBlock.ts'
import type { LogMatcher } from './logMatch.ts'
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

/** A block with its answers as prepared bytes. Each answer is built on first use and cached. */
export type CachedBlock = ReturnType<typeof createCachedBlock>

/** `onGrow` is called after an answer was cached and `bytes()` has changed. */
export function createCachedBlock(input: BlockContent, onGrow: () => void) {
  const raw = input.block.block_header.raw_data
  const transactions = input.block.txIDs.map(toHash)
  const sourceBytes = input.outcomes.reduce((sum, { held }) => sum + held, input.block.held)

  let source: BlockContent | undefined = input
  let header: RpcHeader | undefined
  let slim: Prepared<RpcBlock> | undefined
  let full: Rows<RpcBlock, RpcTransaction> | undefined
  let receipts: Rows<RpcReceipt[], RpcReceipt> | undefined
  let logs: LogBlock | undefined
  let concerned: readonly Concerned[] | undefined
  /** Answers about one transaction that were built alone. */
  let alone = 0

  /** Called after an answer was built: drops the native content that no later answer needs. */
  function made(): void {
    if (slim && full) header = undefined
    if (source && slim && full && receipts && logs) {
      concerned ??= concernedIn(source)
      source = undefined
    }
    onGrow()
  }

  function headerOf({ baseFeePerGas }: Pick<BlockContext, 'baseFeePerGas'>): RpcHeader {
    if (header) return header
    const { block, outcomes } = kept(source)
    return (header = toOutlineHeader(
      block,
      outcomes.map((one) => one.logs()),
      { baseFeePerGas, count: transactions.length, size: block.size ?? blockSize(block.whole()) },
    ))
  }

  function logBlock(): LogBlock {
    if (logs) return logs
    const { block, outcomes } = kept(source)
    logs = createLogBlock(
      block,
      outcomes.map((one) => one.logs()),
    )
    made()
    return logs
  }

  function fullOf(context: BlockContext): Rows<RpcBlock, RpcTransaction> {
    if (full) return full
    const { block, outcomes } = kept(source)
    const rows = toRpcTransactions(block.whole(), outcomes.map(wholeOf), context)
    full = toRows(
      rows.map((row) => JSON.stringify(row)),
      { name: 'transactions', object: { ...headerOf(context), uncles: [] } },
    )
    made()
    return full
  }

  function receiptsOf(context: BlockContext): Rows<RpcReceipt[], RpcReceipt> {
    if (receipts) return receipts
    const { block, outcomes } = kept(source)
    const rows = toRpcReceipts(block.whole(), outcomes.map(wholeOf), context)
    receipts = toRows(rows.map((row) => JSON.stringify(row)))
    made()
    return receipts
  }

  return {
    id: { hash: toHash(input.block.blockID), number: raw.number ?? 0 },
    parentHash: toHash(raw.parentHash),
    /** Milliseconds. */
    timestamp: raw.timestamp ?? 0,
    transactions,

    slim(context: Pick<BlockContext, 'baseFeePerGas'> = {}): Prepared<RpcBlock> {
      if (slim) return slim
      slim = preparedOfText(JSON.stringify(toRpcBlock(headerOf(context), transactions)))
      made()
      return slim
    },
    full: fullOf,
    receipts: receiptsOf,

    /** One transaction. It does not build the others, until several were asked for. */
    transaction(index: number, context: BlockContext): Prepared<RpcTransaction> | undefined {
      const transaction = full ? undefined : source?.block.transaction(index)
      if (!transaction || ++alone > ALONE) return fullOf(context).row(index)
      const { block, outcomes } = kept(source)
      const place = { block, index, info: outcomes[index]?.whole() }
      return preparedOfText(JSON.stringify(toRpcTransactionAt(place, transaction, context)))
    },

    /** One receipt; as `transaction`. */
    receipt(index: number, context: BlockContext): Prepared<RpcReceipt> | undefined {
      if (receipts || ++alone > ALONE) return receiptsOf(context).row(index)
      const { block, outcomes } = kept(source)
      const transaction = block.transaction(index)
      const info = outcomes[index]?.whole()
      if (!transaction || !info) return undefined
      let before = 0n
      let firstLog = 0
      for (const { energy, logCount } of outcomes.slice(0, index)) {
        before += toInt64(energy)
        firstLog += logCount
      }
      const place = { before, energyPrice: context.energyPrice, firstLog, index }
      return preparedOfText(JSON.stringify(toRpcReceipt(block, { info, transaction }, place)))
    },

    /** The answer with or without whole transactions if it was built before; then it needs no context. */
    built: (isFull: boolean) => (isFull ? full?.whole : slim),
    /** See `LogBlock`. */
    logs: (matcher: LogMatcher, after?: number) => logBlock().logs(matcher, after),
    count: (matcher: LogMatcher) => logBlock().count(matcher),

    /** What each transaction concerns; none of genesis. */
    concerned(): readonly Concerned[] {
      if (concerned) return concerned
      concerned = concernedIn(kept(source))
      made()
      return concerned
    },

    /** A transaction as the node sent it; undefined when it is not kept any more. */
    native(index: number): NativeTransaction | undefined {
      const transaction = source?.block.transaction(index)
      return transaction && { transaction, info: source?.outcomes[index]?.whole() }
    },

    /** Estimated memory. */
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
function concernedIn({ block, outcomes }: BlockContent): Concerned[] {
  const { transactions = [] } = block.whole()
  return outcomes.map((one, index) =>
    concernedBy(partiesIn(transactions[index] as Transaction), one.whole()),
  )
}

const wholeOf = (outcome: OutcomeView): TransactionInfo => outcome.whole()

function kept(source: BlockContent | undefined): BlockContent {
  if (!source) throw new Error('the source of a block was dropped before its answers were built')
  return source
}
