import type { Hash } from 'viem'

import type { BlockId, BlockRef } from '../../codec/blockRef.ts'
import { InvalidParamsError, UpstreamError } from '../../lib/errors.ts'
import type { Chain } from '../blocks/chainTypes.ts'
import { createLogMatcher, type LogMatcher } from '../blocks/logMatch.ts'
import { type BlockChange, blockChangesFrom } from '../head/blockChanges.ts'
import type { Head, RecentBlock } from '../head/headTypes.ts'
import { recentLogText } from '../head/recentText.ts'
import { newestIn, windowOf } from '../head/window.ts'
import { readHistory } from './history.ts'
import type { FilterSpec } from './store.ts'

/** The items that one poll delivers, as JSON texts of logs or hashes, and the cursor after them. */
export type Page = { items: string[]; cursor: BlockId }

type ChainSpec = Exclude<FilterSpec, { kind: 'pending' }>

/** Maximum number of searches of final history in one poll. After them the poll returns the items that it has. */
const MAX_SEARCHES = 20

/** Blocks of one search: a fifth of the default of `--logs-max-blocks`. */
const SPAN = 1_000

/**
 * The changes between a cursor and the newest block of the filter's view, as whole blocks with at most `limit` items, or one
 * block with more: first the logs of orphans (`removed: true`, in the reverse order of delivery), then the canonical ones.
 *
 * @returns undefined when the branch of the cursor is no longer known.
 * @throws BehindError, UpstreamError
 */
export async function pageFrom(
  spec: ChainSpec,
  cursor: BlockId,
  { chain, head, limit, signal, upTo = Infinity }: pageFrom.Options,
): Promise<Page | undefined> {
  const items: Page['items'] = []
  const itemsOf = createItems(spec)
  let at = cursor
  // Items are added one by one: `push(...found)` fails above about 120,000 items.
  for (let searches = 0; ;) {
    const window = windowOf(head)
    const newest = Math.min(upTo, newestIn(window, spec.view).number)
    const changes = blockChangesFrom(window, at, newest)
    if (changes === 'lost') return undefined
    if (changes === 'ahead') throw new BehindError()
    if (changes !== 'below') {
      for (const { after, block, removed } of changes) {
        const found = itemsOf({ after, block, removed })
        if (items.length > 0 && items.length + found.length > limit) return { items, cursor: at }
        for (const item of found) items.push(item)
        at = after
      }
      return { items, cursor: at }
    }
    if (searches++ === MAX_SEARCHES || items.length >= limit) return { items, cursor: at }
    const first = Math.min(upTo, (window.blocks[0]?.number ?? 0) - 1)
    if (at.number >= first) return { items, cursor: at }
    const room = limit - items.length
    const old = await oldItems(at.number + 1, first, room).catch((error: unknown) => {
      if (items.length > 0) return undefined
      throw error
    })
    // A single block that does not fit starts the next page.
    if (!old || (items.length > 0 && old.items.length > room)) return { items, cursor: at }
    for (const item of old.items) items.push(item)
    at = old.cursor
  }

  /** Items of the final blocks in a range: as many whole blocks as fit. */
  async function oldItems(from: number, to: number, room: number): Promise<Page> {
    if (spec.kind === 'blocks') {
      const ids: BlockId[] = []
      for (let number = from; number <= Math.min(to, from + room - 1); number++)
        ids.push(await idAt(chain, number))
      return { items: ids.map(({ hash }) => `"${hash}"`), cursor: ids.at(-1) as BlockId }
    }
    const wanted = Math.max(from, spec.from ?? 0)
    const last = Math.min(to, spec.to ?? to)
    if (wanted > last) return { items: [], cursor: await idAt(chain, to) }
    const found = await readHistory(chain, spec, {
      from: wanted,
      limit: room,
      signal,
      span: SPAN,
      to: last,
    })
    return { items: found.texts, cursor: await idAt(chain, found.to) }
  }
}

export declare namespace pageFrom {
  type Options = {
    chain: Pick<Chain, 'logRows' | 'resolve'>
    head: Pick<Head, 'window'>
    limit: number
    signal?: AbortSignal | undefined
    /** The last block of the page. @default the newest block of the view */
    upTo?: number
  }
}

/** The id of a block that the chain has. @throws UpstreamError when the node does not have it */
export async function idAt(chain: Pick<Chain, 'resolve'>, number: number): Promise<BlockId> {
  const id = await chain.resolve(number)
  if (!id) throw new UpstreamError(`the node does not have block ${number}`)
  return id
}

/** The height of an end of a filter; `latest` and `pending` leave it open. @throws InvalidParamsError when there is no such block */
export async function endOf(
  chain: Pick<Chain, 'resolve'>,
  ref: BlockRef | undefined,
): Promise<number | undefined> {
  if (ref === undefined || ref === 'latest' || ref === 'pending') return undefined
  if (typeof ref === 'number') return ref
  const id = await chain.resolve(ref)
  if (!id) throw new InvalidParamsError(0, 'no such block')
  return id.number
}

/** `-32603`: another replica delivered a block that this one has not received yet. */
export class BehindError extends UpstreamError {
  override name = 'BehindError'

  constructor() {
    super('this replica has not seen the newest blocks yet, try again')
  }
}

/** The items of one removed or added block for a filter. */
function createItems(spec: ChainSpec): (change: BlockChange) => string[] {
  if (spec.kind === 'blocks') return ({ block, removed }) => (removed ? [] : [`"${block.hash}"`])
  const matcher = createLogMatcher(spec)
  return ({ block, removed }) => {
    if (block.number < (spec.from ?? 0) || block.number > (spec.to ?? Infinity)) return []
    return recentLogTexts(block, removed, matcher)
  }
}

/** The matching logs of a recent block as JSON texts. Those of a removed block are in reverse order. */
export function recentLogTexts(
  { logs }: RecentBlock,
  removed: boolean,
  matcher: LogMatcher,
): string[] {
  const found = logs.filter((log) => matcher.matches(log))
  return (removed ? found.toReversed() : found).map((log) => recentLogText(log, removed))
}

/** A cursor on a block as text. */
export function toCursor({ hash, number }: BlockId): string {
  return `${number}:${hash}`
}

/** The block that a cursor's text names. */
export function fromCursor(cursor: string): BlockId {
  const [number, hash] = cursor.split(':')
  return { number: Number(number), hash: hash as Hash }
}
