import type { BlockOutline } from './blockOutline.ts'
import type { Part } from './operation.ts'
import type { OutcomeLogs } from './transactionLogs.ts'
import type { Block, Int64, Transaction, TransactionInfo } from './types.ts'

/**
 * A block whose transactions are decoded when they are asked for. Over HTTP they are there; gRPC gives bytes, which take a tenth of the
 * memory of the objects.
 */
export type BlockView = BlockOutline &
  Pick<Block, 'ethereum'> & {
    transaction: (index: number) => Transaction | undefined
    whole: () => Block
    /** Estimated memory, in bytes. */
    readonly held: number
  }

/** The outcome of a transaction, of which only what its neighbours need is decoded at once. */
export type OutcomeView = Pick<TransactionInfo, 'id' | 'blockTimeStamp'> & {
  readonly energy: Int64
  /** Number of its logs. */
  readonly logCount: number
  /** What headers and searches need. */
  logs: () => Pick<OutcomeLogs, 'id' | 'log'> & Pick<TransactionInfo, 'receipt'>
  whole: () => TransactionInfo
  /** Estimated memory, in bytes. */
  readonly held: number
}

/** The view of a parsed block. A transaction that lacks its content has no id. */
export function viewOfBlock(block: Block): BlockView {
  const { blockID, block_header, ethereum, transactions = [] } = block
  return {
    blockID,
    block_header,
    ...(ethereum && { ethereum }),
    txIDs: transactions.map((one) => (one?.raw_data?.contract ? (one.txID ?? '') : '')),
    transaction: (index) => transactions[index],
    whole: () => block,
    held: memoryOfBlock(block),
  }
}

/** The view of a parsed outcome. */
export function viewOfInfo(info: TransactionInfo): OutcomeView {
  const { blockTimeStamp, id, log = [], receipt } = info
  return {
    id,
    ...(blockTimeStamp !== undefined && { blockTimeStamp }),
    energy: receipt?.energy_usage_total ?? 0,
    logCount: log.length,
    logs: () => info,
    whole: () => info,
    held: memoryOfInfo(info),
  }
}

/** Views of the answers of `getblockbynum`, `getblockbyid`, `getblockbylimitnext` and `gettransactioninfobyblocknum`. */
export const blockPart: Part<BlockView> = {
  name: 'view',
  read: () => undefined,
  pick: (block: Block | BlockView) => ('whole' in block ? block : viewOfBlock(block)),
}

export const blocksPart: Part<BlockView[]> = {
  name: 'views',
  read: () => undefined,
  pick: ({ block = [] }: { block?: (Block | BlockView)[] }) =>
    block.map((one) => ('whole' in one ? one : viewOfBlock(one))),
}

export const outcomesPart: Part<OutcomeView[]> = {
  name: 'views',
  read: () => undefined,
  pick: (infos: (TransactionInfo | OutcomeView)[]) =>
    infos.map((one) => ('whole' in one ? (one as OutcomeView) : viewOfInfo(one))),
}

/** Memory of a parsed transaction, its outcome and a log without their long hex strings. */
const PARSED_TRANSACTION_BYTES = 3_000
const PARSED_LOG_BYTES = 500

function memoryOfBlock({ transactions = [] }: Block): number {
  let bytes = 0
  // The node sends call data twice: in the raw bytes, and decoded inside the contract.
  for (const { ethereum, raw_data_hex } of transactions)
    bytes += PARSED_TRANSACTION_BYTES + 2 * raw_data_hex.length + lengthOf(ethereum?.['input'])
  return bytes
}

function memoryOfInfo({ contractResult = [], log = [] }: TransactionInfo): number {
  let bytes = 0
  // The result of a deployment is the code.
  for (const result of contractResult) bytes += result.length
  for (const { data } of log) bytes += PARSED_LOG_BYTES + lengthOf(data)
  return bytes
}

function lengthOf(text: unknown): number {
  return typeof text === 'string' ? text.length : 0
}
