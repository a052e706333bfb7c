import type { Hash } from 'viem'

import { toRpcBlock, toRpcHeader, toRpcTransactions } from '../../codec/block.ts'
import type { BlockId } from '../../codec/blockRef.ts'
import { toLogText, toRpcLogs } from '../../codec/log.ts'
import { toHash } from '../../codec/quantity.ts'
import { toRpcReceipts } from '../../codec/receipt.ts'
import type { RpcBlock, RpcHeader, RpcLog, RpcReceipt, RpcTransaction } from '../../codec/types.ts'
import { toRpcAddress } from '../../lib/address.ts'
import { type Wire, wireOfText } from '../../lib/wire.ts'
import type { LoadedBlock } from '../load.ts'
import { blockChunk, emptyChunk, type LogChunk } from './logChunk.ts'
import type { LogKey, LogMatcher } from './logMatch.ts'
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
  /** The logs that match, in block order. */
  logs(matcher: LogMatcher): LogChunk
  /** How many logs match. */
  count(matcher: LogMatcher): number
  /** Estimated memory, in bytes. */
  bytes(): number
}

/** `onGrow` is called after an answer was cached and `bytes()` has changed. */
export function createCachedBlock(input: LoadedBlock, onGrow: () => void): CachedBlock {
  const { block } = input
  const raw = block.block_header.raw_data
  const transactions = (block.transactions ?? []).map(({ txID }) => toHash(txID))
  const { items, keys } = logKeys(input)
  const sourceBytes = estimate(input)

  let source: LoadedBlock | undefined = input
  let header: RpcHeader | undefined
  let slim: Wire<RpcBlock> | undefined
  let full: Rows<RpcBlock, RpcTransaction> | undefined
  let receipts: Rows<RpcReceipt[], RpcReceipt> | undefined
  let logs: Rows<RpcLog[], RpcLog> | undefined

  /** The native objects. They are dropped when all answers have been built. */
  function made(): void {
    if (slim && full) header = undefined
    if (slim && full && receipts && (logs || keys.length === 0)) source = undefined
    onGrow()
  }

  function headerOf(
    { block, infos }: LoadedBlock,
    { baseFeePerGas }: Pick<BlockContext, 'baseFeePerGas'>,
  ): RpcHeader {
    return (header ??= toRpcHeader(block, infos, { baseFeePerGas }))
  }

  /** Indexes of the logs that match. */
  function matching(matcher: LogMatcher): number[] {
    const found: number[] = []
    if (!matcher.mayMatch({ has: ({ text }) => items.has(text) })) return found
    for (const [index, key] of keys.entries()) if (matcher.matches(key)) found.push(index)
    return found
  }

  const view: CachedBlock = {
    id: { hash: toHash(block.blockID), number: raw.number ?? 0 },
    parentHash: toHash(raw.parentHash),
    timestamp: raw.timestamp ?? 0,
    transactions,

    slim(context = {}) {
      if (slim) return slim
      const block = toRpcBlock(headerOf(kept(source), context), transactions)
      slim = wireOfText(JSON.stringify(block), 'latin1')
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

    count: (matcher) => matching(matcher).length,

    logs(matcher) {
      const found = matching(matcher)
      if (found.length === 0) return emptyChunk(view.id.number)
      if (!logs) {
        const { block, infos } = kept(source)
        logs = toRows(toRpcLogs(block, infos).map(toLogText))
        made()
      }
      return blockChunk(view.id.number, logs, found)
    },

    bytes: () =>
      BLOCK_BYTES +
      transactions.length * TRANSACTION_BYTES +
      keys.length * KEY_BYTES +
      items.size * ITEM_BYTES +
      (header ? HEADER_BYTES : 0) +
      (source ? sourceBytes : 0) +
      (slim?.bytes.length ?? 0) +
      (full?.bytes ?? 0) +
      (receipts?.bytes ?? 0) +
      (logs?.bytes ?? 0),
  }
  return view
}

/** Memory of the closures and ids of a block, in bytes. */
const BLOCK_BYTES = 3_000
/** Memory of a header as an object, with its bloom as text. */
const HEADER_BYTES = 3_000
/** Memory of a hash and its entry in the index of transactions. */
const TRANSACTION_BYTES = 250
/** Memory of an entry of `keys`; its strings are shared. */
const KEY_BYTES = 120
/** Memory of an address or topic with its entry in a set. */
const ITEM_BYTES = 160
/** Memory of a parsed transaction, its outcome and a log without their long hex strings. */
const PARSED_TRANSACTION_BYTES = 3_000
const PARSED_LOG_BYTES = 500

/** Estimated memory of a parsed block. */
function estimate({ block, infos }: LoadedBlock): number {
  let bytes = 0
  // The node sends call data twice: in the raw bytes, and decoded inside the contract.
  for (const { raw_data_hex } of block.transactions ?? [])
    bytes += PARSED_TRANSACTION_BYTES + 2 * raw_data_hex.length
  for (const { log = [] } of infos)
    for (const { data } of log) bytes += PARSED_LOG_BYTES + (data?.length ?? 0)
  return bytes
}

/** Address and topics of every log, each string stored once, and the set of all of them. */
function logKeys({ infos }: LoadedBlock): { keys: LogKey[]; items: ReadonlySet<string> } {
  const texts = new Map<string, string>()
  const once = (text: string) => {
    const known = texts.get(text)
    if (known !== undefined) return known
    texts.set(text, text)
    return text
  }
  const keys = infos.flatMap(({ log = [] }) =>
    log.map(({ address, topics = [] }) => ({
      address: once(toRpcAddress(address)),
      topics: topics.map((topic) => once(toHash(topic))),
    })),
  )
  return { keys, items: new Set(texts.keys()) }
}

function kept(source: LoadedBlock | undefined): LoadedBlock {
  if (!source) throw new Error('the source of a block was dropped before its answers were built')
  return source
}
