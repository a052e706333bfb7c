import type { Hash } from 'viem'

import { toHash } from '../codec/quantity.ts'
import { UpstreamError } from '../errors.ts'
import { sleep } from '../lib/sleep.ts'
import type { NativeClient } from '../native/client.ts'
import type { Block, TransactionInfo } from '../native/types.ts'

/** A block with the outcome of each of its transactions, in the same order. Genesis has transactions without outcomes. */
export type LoadedBlock = { block: Block; infos: readonly TransactionInfo[] }

/** The native calls that a block needs. */
export type BlockSource = {
  wallet: Pick<
    NativeClient['wallet'],
    'getBlockByNum' | 'getBlockById' | 'getTransactionInfoByBlockNum'
  >
}

/** Attempts. After a reorg between the two calls the second attempt succeeds. */
const ATTEMPTS = 3

/** Milliseconds before the next attempt: a node stores outcomes a moment after their block. */
const RETRY_DELAY = 100

/**
 * Reads a block: two native calls, one when it is empty or genesis. Undefined when the node does not have it.
 *
 * The outcomes can be read by height only, so after a reorg between the calls they may be those of another block. Their
 * ids are compared, and both are read again when they differ.
 *
 * @throws UpstreamError when they still differ, or when the node keeps no outcomes.
 */
export async function loadBlock(
  native: BlockSource,
  ref: { number: number } | { hash: Hash },
  signal?: AbortSignal,
): Promise<LoadedBlock | undefined> {
  for (let attempt = 1; ; attempt++) {
    const block = await readBlock(native, ref, signal)
    if (!block) return undefined
    assertFits(block, ref)
    const infos = await loadInfos(native, block, signal)
    if (infos) return { block, infos }
    if (attempt === ATTEMPTS) throw new UpstreamError(mismatch(block))
    await sleep(RETRY_DELAY, signal)
  }
}

/**
 * Checks that an answer is the block that was asked for, with all its transactions.
 *
 * @throws UpstreamError
 */
export function assertFits(block: Block, ref: { number: number } | { hash: Hash }): void {
  if (!isThat(block, ref))
    throw new UpstreamError('the node gave another block than it was asked for')
  if (!isWhole(block)) throw new UpstreamError('the node gave a block without its transactions')
}

/**
 * The outcomes of a block's transactions: one native call, none without transactions. Undefined when they are of
 * another block.
 */
export async function loadInfos(
  native: BlockSource,
  block: Block,
  signal?: AbortSignal,
): Promise<readonly TransactionInfo[] | undefined> {
  const { number = 0 } = block.block_header.raw_data
  const transactions = block.transactions ?? []
  if (number === 0 || transactions.length === 0) return []
  const infos = await native.wallet.getTransactionInfoByBlockNum({ num: number }, { signal })
  const fits =
    infos.length === transactions.length &&
    transactions.every(({ txID }, index) => infos[index]?.id === txID)
  return fits ? infos : undefined
}

function readBlock(
  native: BlockSource,
  ref: { number: number } | { hash: Hash },
  signal: AbortSignal | undefined,
): Promise<Block | undefined> {
  return 'hash' in ref
    ? native.wallet.getBlockById({ value: ref.hash.slice(2) }, { signal })
    : native.wallet.getBlockByNum({ num: ref.number }, { signal })
}

/** Whether a block is the one that was asked for. The first eight bytes of a hash are the number. */
function isThat(
  { blockID, block_header }: Block,
  ref: { number: number } | { hash: Hash },
): boolean {
  if ('hash' in ref) return toHash(blockID) === ref.hash
  const { number = 0 } = block_header.raw_data
  return number === ref.number && Number.parseInt(blockID.slice(0, 16), 16) === number
}

/** Whether a block has its transactions, each with its content. Their root is 32 zero bytes exactly when there are none. */
function isWhole({ block_header, transactions = [] }: Block): boolean {
  const { txTrieRoot } = block_header.raw_data
  if (transactions.length === 0) return txTrieRoot === undefined || /^0*$/.test(txTrieRoot)
  return transactions.every((transaction) => transaction?.txID && transaction.raw_data?.contract)
}

function mismatch(block: Block): string {
  const { number = 0 } = block.block_header.raw_data
  return `the node does not have the outcomes of the transactions in block ${number}`
}
