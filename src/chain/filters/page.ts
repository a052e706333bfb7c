import type { Hash } from 'viem'

import type { BlockId, BlockRef } from '../../codec/blockRef.ts'
import type { Call } from '../../lib/call.ts'
import { InvalidParamsError, UpstreamError } from '../../lib/errors.ts'
import { sleep } from '../../lib/sleep.ts'
import { stretchOf } from '../blockRange.ts'
import type { Chain } from '../blocks/chainTypes.ts'
import { createLogMatcher, type LogMatcher } from '../blocks/logMatch.ts'
import { type BlockChange, blockChangesFrom } from '../head/blockChanges.ts'
import type { Head, RecentBlock, Window } from '../head/headTypes.ts'
import { recentLogText } from '../head/recentText.ts'
import { isCanonical, newestIn, windowOf } from '../head/window.ts'
import { readHistory } from './history.ts'
import type { FilterSpec } from './store.ts'

/** The items that one poll delivers, as JSON texts of logs or hashes, and the cursor after them. */
export type Page = { items: string[]; cursor: BlockId }

type ChainSpec = Exclude<FilterSpec, { kind: 'pending' }>

/** Maximum number of searches of final history in one poll. After them the poll returns the items that it has. */
const MAX_SEARCHES = 20

/** Blocks of one search: a fifth of the default of `--logs-max-blocks`. */
const SPAN = 1_000

/** Ids of old blocks that are read at once. */
const IDS_AT_ONCE = 64

/** Milliseconds for which a poll waits for this replica, or for all replicas, to receive a block. */
const BEHIND_WAIT = 2_000
const BEHIND_STEP = 10

/**
 * The changes between a cursor and the newest block of the filter's view, as whole blocks with at most `limit` items, or one
 * block with more: first the logs of orphans (`removed: true`, in the reverse order of delivery), then the canonical ones.
 *
 * @returns undefined when the branch of the cursor is no longer known, or `end` is not after the cursor any more.
 * @throws BehindError, UpstreamError
 */
export async function pageFrom(
  spec: ChainSpec,
  cursor: BlockId,
  { chain, end, head, limit, call }: pageFrom.Options,
): Promise<Page | undefined> {
  const most = end ? Infinity : limit
  const items: Page['items'] = []
  const itemsOf = createItems(spec)
  let at = cursor
  // Items are added one by one: `push(...found)` fails above about 120,000 items.
  for (let searches = 0; ;) {
    const window = windowOf(head)
    const newest = newestIn(window, spec.view).number
    const changes = blockChangesFrom(window, at, newest)
    if (changes === 'lost') return undefined
    if (changes === 'ahead') throw new BehindError()
    if (changes !== 'below') {
      for (const { after, block, removed } of changes) {
        const found = itemsOf({ after, block, removed })
        if (items.length > 0 && items.length + found.length > most) return { items, cursor: at }
        for (const item of found) items.push(item)
        at = after
        if (at.hash === end?.hash) return { items, cursor: at }
      }
      // After these orphans the cursor is below the window, so the blocks above it are read next.
      if (!end && at.number < (window.blocks[0]?.number ?? 0) - 1) continue
      if (!end) return { items, cursor: at }
      if (mayComeAfter(window, end, newest)) throw new BehindError()
      return undefined
    }
    // A page that was delivered before is as long as then.
    if (!end && (searches++ === MAX_SEARCHES || items.length >= most)) return { items, cursor: at }
    const first = Math.min(end?.number ?? Infinity, (window.blocks[0]?.number ?? 0) - 1)
    if (at.number >= first) return end ? undefined : { items, cursor: at }
    const room = most - items.length
    const stretch = stretchOf(chain.nextRun, { from: at.number + 1, to: first })
    const old = await (
      stretch.isRun ? emptyItems(stretch.to) : oldItems(at.number + 1, stretch.to, room)
    ).catch((error: unknown) => {
      if (!end && items.length > 0) return undefined
      throw error
    })
    // A single block that does not fit starts the next page.
    if (!old || (items.length > 0 && old.items.length > room)) return { items, cursor: at }
    for (const item of old.items) items.push(item)
    at = old.cursor
    if (at.hash === end?.hash) return { items, cursor: at }
  }

  /** Skips a run of empty blocks. */
  async function emptyItems(to: number): Promise<Page> {
    return { items: [], cursor: await idAt(chain, to, call) }
  }

  /** Items of the final blocks in a range: as many whole blocks as fit. */
  async function oldItems(from: number, to: number, room: number): Promise<Page> {
    if (spec.kind === 'blocks') {
      const ids: BlockId[] = []
      const last = Math.min(to, from + room - 1)
      for (let first = from; first <= last; first += IDS_AT_ONCE) {
        const count = Math.min(IDS_AT_ONCE, last - first + 1)
        const numbers = Array.from({ length: count }, (_, index) => first + index)
        // Reads of one event loop tick share their calls to the node.
        ids.push(...(await Promise.all(numbers.map((number) => idAt(chain, number, call)))))
      }
      return { items: ids.map(({ hash }) => `"${hash}"`), cursor: ids.at(-1) as BlockId }
    }
    const wanted = Math.max(from, spec.from ?? 0)
    const last = Math.min(to, spec.to ?? to)
    if (wanted > last) return { items: [], cursor: await idAt(chain, to, call) }
    const found = await readHistory(chain, spec, {
      from: wanted,
      limit: room,
      call,
      span: SPAN,
      to: last,
    })
    return { items: found.texts, cursor: await idAt(chain, found.to, call) }
  }
}

export declare namespace pageFrom {
  type Options = {
    chain: Pick<Chain, 'logRows' | 'nextRun' | 'resolve'>
    head: Pick<Head, 'window'>
    limit: number
    call?: Call | undefined
    /** The cursor after a page that was delivered before. It is read again, whatever `limit` is. */
    end?: BlockId | undefined
  }
}

/** Whether this process has not received the block of a cursor yet, or it is above the newest block of its view. */
function mayComeAfter(window: Window, cursor: BlockId, newest: number): boolean {
  if (blockChangesFrom(window, cursor, newest) === 'ahead') return true
  return isCanonical(window, cursor) === true && cursor.number > newest
}

/**
 * Repeats a read that fails with BehindError, because this replica or another one has not received a block yet.
 *
 * @throws BehindError when it still fails after two seconds, and any other error at once
 */
export async function whenReceived<result>(read: () => Promise<result>): Promise<result> {
  const started = performance.now()
  for (;;)
    try {
      return await read()
    } catch (error) {
      const behind = error instanceof BehindError && performance.now() - started < BEHIND_WAIT
      if (!behind) throw error
      await sleep(BEHIND_STEP)
    }
}

/** The id of a block that the chain has. @throws UpstreamError when the node does not have it */
export async function idAt(
  chain: Pick<Chain, 'resolve'>,
  number: number,
  call?: Call,
): Promise<BlockId> {
  const id = await chain.resolve(number, call)
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
