import type { Address } from 'viem'

import type { HistoryRow, HistoryRows } from '../../chain/blocks/chainTypes.ts'
import type { BlockRef } from '../../codec/blockRef.ts'
import * as schemas from '../../codec/schemas.ts'
import type { Call } from '../../lib/call.ts'
import { HistoricalStateError, MethodNotSupportedError, RpcError } from '../../lib/errors.ts'
import { fromPrepared } from '../../lib/prepared.ts'
import type { Context } from '../context.ts'

/** Maximum number of transactions of a page. Otterscan requests 25. */
const MAX_PAGE = 1_000

/** Schema of a page of the transactions of an account. */
export const transactionPage = schemas.object({
  txs: schemas.listOf(schemas.transaction),
  receipts: schemas.listOf(schemas.receipt),
  firstPage: schemas.boolean,
  lastPage: schemas.boolean,
})

/**
 * The transactions of an account beyond a block, which is not included, in the order of the search. Otterscan's pages consist of whole
 * blocks, so there can be more than `size`.
 *
 * @throws MethodNotSupportedError without an index, NotIndexedError
 */
export async function wholeBlocks(
  method: string,
  who: Address,
  { edge, order, size }: { edge: number | undefined; order: 'newest' | 'oldest'; size: number },
  { chain }: Pick<Context, 'chain'>,
  call: Call,
): Promise<{ rows: HistoryRow[]; isComplete: boolean }> {
  requireHistory(method, chain)
  const query = { account: who.slice(2).toLowerCase(), kinds: 0, list: 'concerns', order } as const
  const bound = edge === undefined ? undefined : { number: edge }
  const limit = Math.min(Math.max(1, size), MAX_PAGE)
  const page = await chain.history({ ...query, bound, limit }, call)
  const last = page.rows.at(-1)
  if (!last || !page.hasMore) {
    requireWhole(page, order, chain)
    return { rows: page.rows, isComplete: true }
  }
  const rows = [...page.rows]
  // Few at a time: those beyond the block are read in vain.
  for (let at = last, most = limit; ; most *= 2) {
    const bound = { ...at.id, index: at.index }
    const next = await chain.history({ ...query, bound, limit: most }, call)
    const own = next.rows.filter(({ id }) => id.number === at.id.number)
    rows.push(...own)
    at = own.at(-1) ?? at
    const isLast = own.length === next.rows.length
    if (isLast && next.hasMore) continue
    if (isLast) requireWhole(next, order, chain)
    return { rows, isComplete: isLast }
  }
}

/** The answer with the newest transactions first. */
export function pageOf(rows: readonly HistoryRow[]) {
  return {
    txs: rows.map(({ transaction }) => fromPrepared(transaction)),
    receipts: rows.map(({ receipt, timestamp }) => ({ ...fromPrepared(receipt), timestamp })),
  }
}

/** @throws MethodNotSupportedError */
export function requireHistory(
  method: string,
  { hasHistory }: Pick<Context['chain'], 'hasHistory'>,
) {
  if (!hasHistory)
    throw new MethodNotSupportedError(
      method,
      'it needs the accounts of all blocks, which the node does not have: serve with --index DIR',
    )
}

/** On a fork, only the blocks after the fork block are searched. @throws NotIndexedError when a search ended before the chain did */
export function requireWhole(
  { isCut, searched }: Pick<HistoryRows, 'isCut' | 'searched'>,
  order: 'newest' | 'oldest',
  { nextRun }: Pick<Context['chain'], 'nextRun'>,
): void {
  if (isCut && !nextRun)
    throw new NotIndexedError(order === 'newest' ? searched.from - 1 : searched.to + 1)
}

/**
 * Whether an account has code at a block. A node has the newest code only: of an old block it follows from when the contract was
 * created.
 *
 * @throws HistoricalStateError where that is not known, as of a contract that was destroyed
 */
export async function hasCode(
  who: Address,
  ref: BlockRef,
  { chain, execution }: Pick<Context, 'chain' | 'execution'>,
  call: Call,
): Promise<boolean> {
  try {
    return (await execution.code(who, ref, call)) !== '0x'
  } catch (error) {
    if (!(error instanceof HistoricalStateError) || typeof ref !== 'number') throw error
    const known = chain.hasHistory && !chain.nextRun ? await hadCode(ref) : undefined
    if (known === undefined) throw error
    return known
  }

  async function hadCode(number: number): Promise<boolean | undefined> {
    const account = who.slice(2).toLowerCase()
    const query = { account, kinds: 0, list: 'created', limit: 2, order: 'oldest' } as const
    const { isCut, rows } = await chain.history(query, call)
    const hasNow = (await execution.code(who, 'latest', call)) !== '0x'
    const [first, second] = rows
    if (isCut || Boolean(first) !== hasNow) return undefined
    if (!first || first.id.number > number) return false
    return second ? undefined : true
  }
}

/** `-32000`: the log index does not have the accounts of a block that was needed. */
class NotIndexedError extends RpcError {
  override name = 'NotIndexedError'

  constructor(number: number) {
    super(
      -32000,
      `the log index does not have the accounts of block ${number} yet: fill it with --index-from 0`,
    )
  }
}
