import type { Hex } from 'viem'
import { expect, test } from 'vitest'

import { CLIENT_CALL } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import type { HistoryQuery, HistoryRow, HistoryRows } from '../../chain/blocks/chainTypes.ts'
import type { BlockRef } from '../../codec/blockRef.ts'
import { HistoricalStateError } from '../../lib/errors.ts'
import { hasCode, requireHistory, wholeBlocks } from './otterscanHistory.ts'

const WHO = `0x${'ab'.repeat(20)}` as const
const BEFORE = 'ots_searchTransactionsBefore'

/** Transactions of an account by block and index, newest first. */
const ALL = [
  [9, 1],
  [9, 0],
  [7, 2],
  [7, 1],
  [7, 0],
  [4, 0],
].map(([number = 0, index]) => rowAt(number, index))

/** A row of which only the place is read. */
function rowAt(number: number, index = 0): HistoryRow {
  return {
    id: { number, hash: '0x' },
    index,
  } satisfies Partial<HistoryRow> as unknown as HistoryRow
}

/** A chain whose history has these transactions. @param cut - what no index has */
async function contextOf(rows: readonly HistoryRow[], cut: Partial<HistoryRows> = {}) {
  const { chain, execution } = await createReplayContext()
  const asked: HistoryQuery[] = []
  const history = async (query: HistoryQuery): Promise<HistoryRows> => {
    asked.push(query)
    const { bound, limit } = query
    const beyond = rows.filter(
      ({ id, index }) =>
        !bound ||
        id.number < bound.number ||
        (id.number === bound.number && bound.index !== undefined && index < bound.index),
    )
    const searched = { from: 0, to: 9 }
    return {
      rows: beyond.slice(0, limit),
      hasMore: beyond.length > limit,
      isCut: false,
      searched,
      ...cut,
    }
  }
  return { asked, execution, chain: { ...chain, hasHistory: true, history } }
}

const places = (rows: readonly HistoryRow[]) => rows.map(({ id, index }) => [id.number, index])

test('default: a page ends with its last block', async () => {
  const context = await contextOf(ALL)
  const search = { edge: undefined, order: 'newest', size: 3 } as const
  const { isComplete, rows } = await wholeBlocks(BEFORE, WHO, search, context, CLIENT_CALL)
  expect(places(rows)).toEqual(places(ALL.slice(0, 5)))
  expect(isComplete).toBe(false)
  const query = { account: 'ab'.repeat(20), limit: 3, list: 'concerns' }
  // The second search, for the rest of the last block, asks for no more than a page.
  expect(context.asked).toMatchObject([query, query])
})

test('behavior: the last page is complete', async () => {
  const context = await contextOf(ALL)
  const search = { edge: 7, order: 'newest', size: 0 } as const
  const page = await wholeBlocks(BEFORE, WHO, search, context, CLIENT_CALL)
  expect({ ...page, rows: places(page.rows) }).toEqual({ isComplete: true, rows: [[4, 0]] })
  const all = await contextOf(ALL.slice(0, 5))
  const whole = await wholeBlocks(BEFORE, WHO, { ...search, edge: 8, size: 1 }, all, CLIENT_CALL)
  expect({ ...whole, rows: places(whole.rows) }).toEqual({
    isComplete: true,
    rows: places(ALL.slice(2, 5)),
  })
})

test('error: the index does not have all blocks', async () => {
  const context = await contextOf([], { isCut: true, searched: { from: 6, to: 9 } })
  const search = { edge: undefined, order: 'newest', size: 3 } as const
  await expect(wholeBlocks(BEFORE, WHO, search, context, CLIENT_CALL)).rejects.toThrow(
    'does not have the accounts of block 5 yet',
  )
})

test('error: the index does not have all blocks after the last one of a page', async () => {
  const context = await contextOf(ALL.slice(0, 2), { isCut: true, searched: { from: 6, to: 9 } })
  const search = { edge: undefined, order: 'newest', size: 1 } as const
  await expect(wholeBlocks(BEFORE, WHO, search, context, CLIENT_CALL)).rejects.toThrow(
    'does not have the accounts of block 5 yet',
  )
})

test('error: there is no index', async () => {
  const { chain } = await createReplayContext()
  expect(() => requireHistory(BEFORE, chain)).toThrow('serve with --index DIR')
})

/** Whether an account has code at block 5: what a node says that has only the newest state. */
async function hadCode(created: readonly number[], now: Hex, cut: Partial<HistoryRows> = {}) {
  const rows = created.map((number) => rowAt(number))
  const { chain, execution } = await contextOf(rows, cut)
  const code = async (_: Hex, ref: BlockRef) => {
    if (ref !== 'latest') throw new HistoricalStateError('of block 5')
    return now
  }
  return hasCode(WHO, 5, { chain, execution: { ...execution, code } }, CLIENT_CALL)
}

test('behavior: the code of an old block follows from the creation', async () => {
  expect(await hadCode([3], '0x60')).toBe(true)
  expect(await hadCode([8], '0x60')).toBe(false)
  expect(await hadCode([], '0x')).toBe(false)
})

test('error: the code of an old block is not known', async () => {
  const unknown = { code: -32000 }
  // Destroyed, created twice, not all blocks searched.
  await expect(hadCode([3], '0x')).rejects.toMatchObject(unknown)
  await expect(hadCode([3, 4], '0x60')).rejects.toMatchObject(unknown)
  await expect(hadCode([3], '0x60', { isCut: true })).rejects.toMatchObject(unknown)
})
