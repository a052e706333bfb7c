import type { Hash } from 'viem'

import { heightOfHash } from '../../codec/blockRef.ts'
import { toHash } from '../../codec/quantity.ts'
import type { Call } from '../../lib/call.ts'
import { UpstreamError } from '../../lib/errors.ts'
import { sleep } from '../../lib/sleep.ts'
import type { NativeClient } from '../../native/client.ts'
import type { BlockOutline } from '../../native/wire/blockOutline.ts'
import type { CallOptions } from '../../native/wire/operations.ts'
import type { TransactionLogs } from '../../native/wire/transactionLogs.ts'
import type { Block, Transaction, TransactionInfo } from '../../native/wire/types.ts'
import {
  type BlockView,
  type OutcomeView,
  viewOfBlock,
  viewOfInfo,
} from '../../native/wire/views.ts'
import type { BlockRange } from './blockRange.ts'

/** A block with the outcome of each of its transactions, in the same order. Genesis has transactions without outcomes. */
export type LoadedBlock = { block: Block; infos: readonly TransactionInfo[] }

/** A transaction and its outcome. Transactions of genesis have no outcome. */
export type NativeTransaction = { transaction: Transaction; info: TransactionInfo | undefined }

/** A block with its outcomes, decoded as far as they are used. */
export type BlockContent = { block: BlockView; outcomes: readonly OutcomeView[] }

/** The native calls that a block needs. */
export type BlockSource = {
  wallet: Pick<
    NativeClient['wallet'],
    'getBlockViewByNum' | 'getBlockViewById' | 'getOutcomeViewsByBlockNum'
  >
}

/** The native call that reads several blocks. */
export type BlockRangeSource = { wallet: Pick<NativeClient['wallet'], 'getBlockViews'> }

/** The native calls that read the logs of blocks without the rest of them. */
export type LogSource = {
  wallet: Pick<
    NativeClient['wallet'],
    'getBlockOutline' | 'getBlockOutlines' | 'getTransactionLogsByBlockNum'
  >
}

/** Attempts. After a reorg between the two calls the second attempt succeeds. */
const ATTEMPTS = 3

/** Milliseconds before the next attempt, because a node stores outcomes a moment after their block. */
const RETRY_DELAY = 100

/** The content of a block that was parsed already. */
export function contentOf({ block, infos }: LoadedBlock): BlockContent {
  return { block: viewOfBlock(block), outcomes: infos.map(viewOfInfo) }
}

/** Reads a whole block (see `loadContent`). */
export async function loadBlock(
  native: BlockSource,
  ref: { number: number } | { hash: Hash },
  call?: Call,
  options?: loadContent.Options,
): Promise<LoadedBlock | undefined> {
  const loaded = await loadContent(native, ref, call, options)
  return loaded && { block: loaded.block.whole(), infos: loaded.outcomes.map((one) => one.whole()) }
}

/**
 * Reads a block with two native calls, or with one if it is empty or genesis. Undefined when the node does not have it.
 *
 * Outcomes can only be read by height, so after a reorg between the calls they may be of another block. Their ids are
 * compared, and both are read again when they differ, then over HTTP alone.
 *
 * @param options.known - the block, where it was read together with others (see `readBlocks`).
 * @param options.isCheap - whether a call costs little: then the outcomes are asked for at the same time, also of an empty block.
 * @throws UpstreamError when they still differ, or when the node keeps no outcomes.
 */
export async function loadContent(
  native: BlockSource,
  ref: { number: number } | { hash: Hash },
  call?: Call,
  { isCheap = false, known }: loadContent.Options = {},
): Promise<BlockContent | undefined> {
  for (let attempt = 1; ; attempt++) {
    const options: CallOptions | undefined = attempt > 1 ? { ...call, overHttp: true } : call
    const isEarly = isCheap && attempt === 1 && 'number' in ref && ref.number > 0
    const early = isEarly
      ? outcomesOf(native, ref.number, options).catch(() => undefined)
      : undefined
    const block = (attempt === 1 && known) || (await readBlock(native, ref, options))
    if (!block) return undefined
    assertFits(block, ref)
    const outcomes = await loadOutcomes(native, block, options, await early)
    if (outcomes) return { block, outcomes }
    if (attempt === ATTEMPTS) throw new UpstreamError(mismatch(block))
    await sleep(RETRY_DELAY, call?.signal)
  }
}

export declare namespace loadContent {
  type Options = { known?: BlockView | undefined; isCheap?: boolean | undefined }
}

/** Reads the blocks of a range, at most 100, with one native call. Leaves out those that are missing or incomplete. */
export async function readBlocks(
  native: BlockRangeSource,
  { from, to }: BlockRange,
  call?: Call,
): Promise<Map<number, BlockView>> {
  const blocks = await native.wallet.getBlockViews({ startNum: from, endNum: to + 1 }, call)
  const found = new Map<number, BlockView>()
  for (const block of blocks) {
    const { number = 0 } = block.block_header.raw_data
    if (matchesRef(block, { number }) && isWhole(block)) found.set(number, block)
  }
  return found
}

/**
 * Checks that an answer is the requested block with all its transactions.
 *
 * @throws UpstreamError
 */
function assertFits(block: BlockView, ref: { number: number } | { hash: Hash }): void {
  if (!matchesRef(block, ref))
    throw new UpstreamError('the node returned another block than requested')
  if (!isWhole(block)) throw new UpstreamError('the node returned a block without its transactions')
}

/**
 * Whether logs are those of a block: its outline has the height and the transactions, and each transaction has an
 * outcome, in the same order.
 */
export function logsFit(
  outline: BlockOutline,
  logs: readonly (TransactionLogs & Pick<TransactionInfo, 'blockTimeStamp'>)[],
  number: number,
): boolean {
  const { txIDs } = outline
  if (!matchesRef(outline, { number }) || (txIDs.length === 0 && !hasEmptyRoot(outline)))
    return false
  // Genesis has transactions without outcomes.
  const { timestamp } = outline.block_header.raw_data
  return number === 0 ? logs.length === 0 : matches(logs, txIDs, timestamp)
}

/**
 * The outcomes of a block's transactions, with one native call, or none if there are no transactions. Undefined when they
 * are of another block.
 */
async function loadOutcomes(
  native: BlockSource,
  { block_header, txIDs }: BlockView,
  options: CallOptions | undefined,
  early: readonly OutcomeView[] | undefined,
): Promise<readonly OutcomeView[] | undefined> {
  const { number = 0, timestamp } = block_header.raw_data
  if (number === 0 || txIDs.length === 0) return []
  const outcomes = early ?? (await outcomesOf(native, number, options))
  return matches(outcomes, txIDs, timestamp) ? outcomes : undefined
}

function outcomesOf(
  native: BlockSource,
  num: number,
  options: CallOptions | undefined,
): Promise<readonly OutcomeView[]> {
  return native.wallet.getOutcomeViewsByBlockNum({ num }, options)
}

/**
 * Whether outcomes are those of all given transactions, in the same order, in the block of a time: blocks of two branches may have the same
 * transactions.
 */
function matches(
  infos: readonly Pick<TransactionInfo, 'id' | 'blockTimeStamp'>[],
  txIDs: readonly string[],
  timestamp: number | undefined,
): boolean {
  const isOfBlock = infos.every(
    ({ blockTimeStamp }) => !blockTimeStamp || blockTimeStamp === timestamp,
  )
  return (
    isOfBlock &&
    infos.length === txIDs.length &&
    txIDs.every((id, index) => infos[index]?.id === id)
  )
}

function readBlock(
  native: BlockSource,
  ref: { number: number } | { hash: Hash },
  options: CallOptions | undefined,
): Promise<BlockView | undefined> {
  return 'hash' in ref
    ? native.wallet.getBlockViewById({ value: ref.hash.slice(2) }, options)
    : native.wallet.getBlockViewByNum({ num: ref.number }, options)
}

/** Whether a block is the requested one. */
function matchesRef(
  { blockID, block_header }: Pick<Block, 'blockID' | 'block_header'>,
  ref: { number: number } | { hash: Hash },
): boolean {
  const hash = toHash(blockID)
  if ('hash' in ref) return hash === ref.hash
  const { number = 0 } = block_header.raw_data
  return number === ref.number && heightOfHash(hash) === number
}

/** Whether a block has all its transactions with their contents. The root is 32 zero bytes only if there are none. */
function isWhole(block: BlockView): boolean {
  return block.txIDs.length === 0 ? hasEmptyRoot(block) : !block.txIDs.includes('')
}

function hasEmptyRoot({ block_header }: Pick<Block, 'block_header'>): boolean {
  const { txTrieRoot } = block_header.raw_data
  return txTrieRoot === undefined || /^0*$/.test(txTrieRoot)
}

function mismatch(block: BlockView): string {
  const { number = 0 } = block.block_header.raw_data
  return `the node does not have the outcomes of the transactions in block ${number}`
}
