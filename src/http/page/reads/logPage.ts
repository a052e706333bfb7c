import type { Address, Hash } from 'viem'
import { numberToHex } from 'viem/utils'

import type { RpcLog } from '../../../codec/types.ts'
import { isInvalidParams, RpcError } from '../../../lib/errors.ts'
import { headerAt } from './blockAt.ts'
import type { Source } from './source.ts'

/** What a log must match: as in a filter of `eth_getLogs`. */
export type LogSearch = { address?: Address; topics?: readonly (Hash | readonly Hash[] | null)[] }

/** The part of the logs of a range of blocks that is wanted. */
export type LogRange = {
  from: number
  to: number
  isAscending: boolean
  /** The position at the end of the page before. */
  after?: string | undefined
  limit: number
  /** Logs that are not wanted do not count. @default all are */
  isWanted?: ((log: RpcLog) => boolean) | undefined
}

/** Blocks of the first search. The next ones are as long as what was found allows. */
const FIRST = 100
const GROWTH = 8

/** Searches of one page. */
const MOST_SEARCHES = 24

/**
 * A page of the logs that match any of the searches, from either end of a range, and the blocks that were searched. `next` is the
 * position of the next page; absent at the end of the range. Where no index has the blocks, it ends before a search
 * would read too many of them: then it is short, and `next` says that there is more.
 *
 * @throws RpcError, also when a reorg comes between the searches: a page is of one branch
 */
export async function readLogPage(
  searches: readonly LogSearch[],
  { after, from, isAscending, isWanted = () => true, limit, to }: LogRange,
  source: Source,
) {
  const edge = after === undefined ? undefined : await positionIn(after, source)
  let low = Math.max(from, isAscending && edge ? edge.number : 0)
  let high = Math.min(to, !isAscending && edge ? edge.number : to)
  const first = isAscending ? low : high
  const check = low <= high ? await sameBranch(high, source) : undefined
  const isBeyond = ({ blockNumber, logIndex }: RpcLog) =>
    Number(blockNumber) !== edge?.number ||
    (isAscending ? Number(logIndex) > edge.index : Number(logIndex) < edge.index)
  const found: RpcLog[] = []
  let size = FIRST
  for (let left = MOST_SEARCHES; left > 0 && low <= high && found.length <= limit; left--) {
    const length = Math.min(size, high - low + 1)
    const range = isAscending
      ? { from: low, to: low + length - 1 }
      : { from: high - length + 1, to: high }
    try {
      const all = await findAll(searches, range, source)
      const wanted = all.filter((log) => isBeyond(log) && isWanted(log))
      found.push(...(isAscending ? wanted : wanted.toReversed()))
      if (isAscending) low += length
      else high -= length
      const density = all.length / (2 * Math.max(1, limit))
      size = Math.ceil(length / Math.max(density, 1 / GROWTH))
    } catch (error) {
      const allowed = limitOf(error)
      if (allowed === undefined || length === 1) throw error
      // Too many logs, or too many blocks that no index has.
      if (!isInvalidParams(error)) size = Math.ceil(length / GROWTH)
      else if ((isAscending ? low : high) === first) size = Math.min(length - 1, allowed + 1)
      else break
    }
  }
  const logs = found.slice(0, limit)
  const last = logs.at(-1)
  const isDone = low > high && found.length <= limit
  const stop = isAscending ? low - 1 : high + 1
  const next = isDone
    ? undefined
    : found.length > limit && last
      ? positionOf(last)
      : `${(await headerAt(stop, source)).hash}${indexText(isAscending ? WHOLE : 0)}`
  await check?.()
  return {
    logs,
    next,
    searched: isAscending ? { from: first, to: stop } : { from: stop, to: first },
  }
}

/**
 * Returns a function that throws if a reorg has replaced a block up to this height since. Only the hash of the highest one is compared,
 * because it covers all before it. Undefined for a solidified block.
 */
export async function sameBranch(
  height: number,
  source: Source,
): Promise<(() => Promise<void>) | undefined> {
  if (height <= (await source.solid())) return undefined
  const { hash } = await headerAt(height, source)
  return async () => {
    if ((await headerAt(height, source)).hash !== hash)
      throw new RpcError(
        -32000,
        'a reorg replaced blocks of this page while it was read: try again',
      )
  }
}

/** Where a page of a list begins: at the newest log, or beyond a position of another page. */
export type ListPlace = { before?: string | undefined; after?: string | undefined }

/**
 * The newest logs that match any of the searches, or those of another page, newest first. `older` and `newer` are the positions of its
 * neighbours, absent at the ends.
 *
 * @throws RpcError
 */
export async function readNewestLogs(
  searches: readonly LogSearch[],
  { after, before }: ListPlace,
  limit: number,
  source: Source,
) {
  const isAscending = after !== undefined
  const range = { from: 0, to: await source.head(), after: after ?? before, isAscending, limit }
  const { logs, next, searched } = await readLogPage(searches, range, source)
  const [first] = logs
  return isAscending
    ? { logs: logs.toReversed(), newer: next, older: first && positionOf(first), searched }
    : { logs, newer: before && first && positionOf(first), older: next, searched }
}

const positionOf = ({ blockHash, logIndex }: RpcLog) => `${blockHash}${indexText(Number(logIndex))}`

/** An index after all logs of a block. */
const WHOLE = 0xffffffff

const indexText = (index: number) => index.toString(16).padStart(8, '0')

/** A position: the hash of a block, which begins with its number, and the index of a log. @throws RpcError */
async function positionIn(
  text: string,
  source: Source,
): Promise<{ number: number; index: number }> {
  if (!/^0x[0-9a-f]{72}$/.test(text)) throw new RpcError(-32602, 'invalid fingerprint')
  const hash = text.slice(0, 66)
  const block = await source.ask<{ number: Hash } | null>('eth_getBlockByHash', hash, false)
  if (!block) throw new RpcError(-32000, 'a reorg removed the block of this page: start again')
  return { number: Number(block.number), index: Number.parseInt(text.slice(66), 16) }
}

async function findAll(
  searches: readonly LogSearch[],
  range: { from: number; to: number },
  source: Source,
): Promise<RpcLog[]> {
  return joinLogs(await Promise.all(searches.map((search) => find(search, range, source))))
}

/** The logs of several searches in the order of the chain, each once. */
export function joinLogs(found: readonly RpcLog[][]): RpcLog[] {
  if (found.length === 1) return found[0] ?? []
  const all = new Map(found.flat().map((log) => [`${log.blockNumber} ${log.logIndex}`, log]))
  return [...all.values()].toSorted(byPlace)
}

/** The order of logs on the chain. */
const byPlace = (a: RpcLog, b: RpcLog) =>
  Number(a.blockNumber) - Number(b.blockNumber) || Number(a.logIndex) - Number(b.logIndex)

async function find(
  search: LogSearch,
  { from, to }: { from: number; to: number },
  source: Source,
): Promise<RpcLog[]> {
  const filter = { ...search, fromBlock: numberToHex(from), toBlock: numberToHex(to) }
  if (from < to) return source.ask('eth_getLogs', filter)
  // One block can have more logs than one search returns.
  const logs: RpcLog[] = []
  let cursor: string | null = null
  do {
    type Page = { logs: RpcLog[]; cursor: string | null }
    const page: Page = await source.ask<Page>('ethgate_getLogs', { filter, cursor, limit: 10_000 })
    logs.push(...page.logs)
    cursor = page.cursor
  } while (cursor !== null)
  return logs
}

/** The limit that a search exceeded: of blocks or of logs; undefined for another error. */
function limitOf(error: unknown): number | undefined {
  const data =
    error instanceof RpcError ? (error.data as { limit?: number } | undefined) : undefined
  return data?.limit
}
