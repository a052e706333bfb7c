import type { Hash } from 'viem'

import type { BlockId, BlockRef } from '../../codec/blockRef.ts'
import type { Call } from '../../lib/call.ts'
import { InvalidParamsError, UpstreamError } from '../../lib/errors.ts'
import { sleep } from '../../lib/sleep.ts'
import type { Chain } from '../blocks/chainTypes.ts'
import { blockChangesFrom } from '../head/blockChanges.ts'
import type { Head, Window } from '../head/headTypes.ts'
import { isCanonical, newestIn, windowOf } from '../head/window.ts'
import { stretchOf } from '../reads/blockRange.ts'
import { idAt, type Page, type Topic } from './topic.ts'

/** Searches of final history for one page of a filter. */
const MAX_SEARCHES = 20

/** Milliseconds for which a poll waits for this replica, or for all replicas, to receive a block. */
const BEHIND_WAIT = 2_000
const BEHIND_STEP = 10

/**
 * The changes between a cursor and the newest block of the view, as whole blocks with at most `limit` items, or one
 * block with more: first the logs of orphans (`removed: true`, in the reverse order of delivery), then the canonical ones.
 *
 * @returns undefined when the branch of the cursor is no longer known, or `end` is not after the cursor any more.
 * @throws BehindError, UpstreamError
 */
export async function pageFrom(
  topic: Topic,
  cursor: BlockId,
  { chain, end, head, limit, maxSearches = MAX_SEARCHES, call }: pageFrom.Options,
): Promise<Page | undefined> {
  const most = end ? Infinity : limit
  const items: Page['items'] = []
  let at = cursor
  // Items are added one by one: `push(...found)` fails above about 120,000 items.
  for (let searches = 0; ;) {
    const window = windowOf(head)
    const newest = newestIn(window, chain.view).number
    /** The last block to read from the node. The newest one of the solidified view can be below the window. */
    const below = Math.min(newest, (window.blocks[0]?.number ?? 0) - 1)
    const changes = blockChangesFrom(window, at, newest)
    if (changes === 'lost') return undefined
    if (changes === 'ahead') throw new BehindError()
    if (changes !== 'below') {
      for (const { after, block, removed } of changes) {
        const found = topic.recent(block, removed)
        if (items.length > 0 && items.length + found.length > most) return { items, cursor: at }
        for (const item of found) items.push(item)
        at = after
        if (at.hash === end?.hash) return { items, cursor: at }
      }
      // After these orphans the cursor is below the window, so the blocks above it are read next.
      if (!end && at.number < below) continue
      if (!end) return { items, cursor: at }
      if (mayComeAfter(window, end, newest)) throw new BehindError()
      return undefined
    }
    // A page that was delivered before is as long as then.
    if (!end && (searches === maxSearches || items.length >= most)) return { items, cursor: at }
    if (end && at.number >= end.number) return undefined
    const room = most - items.length
    const last = Math.min(end?.number ?? Infinity, below)
    const stretch = stretchOf(chain.nextRun, { from: at.number + 1, to: last })
    // A run is passed without a search.
    if (!stretch.isRun) searches++
    const reading = stretch.isRun
      ? idAt(chain, stretch.to, call).then((id): Page => ({ items: [], cursor: id }))
      : topic.final({ from: at.number + 1, to: stretch.to }, room, call)
    const old = await reading.catch((error: unknown) => {
      if (!end && items.length > 0) return undefined
      throw error
    })
    // A single block that does not fit starts the next page.
    if (!old || (items.length > 0 && old.items.length > room)) return { items, cursor: at }
    for (const item of old.items) items.push(item)
    at = old.cursor
    if (at.hash === end?.hash) return { items, cursor: at }
  }
}

export declare namespace pageFrom {
  type Options = {
    chain: Pick<Chain, 'nextRun' | 'resolve' | 'view'>
    head: Pick<Head, 'window'>
    limit: number
    /** Maximum number of searches of final history. After them the page ends with the items that it has. @default 20 */
    maxSearches?: number
    call?: Call | undefined
    /** The cursor after a page that was delivered before. It is read again, whatever `limit` is. */
    end?: BlockId | undefined
  }
}

/** Whether this process has not received the block of a cursor yet, or it is above the newest block of its view. */
function mayComeAfter(window: Window, cursor: BlockId, newest: number): boolean {
  if (blockChangesFrom(window, cursor, newest) === 'ahead') return true
  return isCanonical(window, cursor) !== false && cursor.number > newest
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

/** A cursor on a block as text. */
export function toCursor({ hash, number }: BlockId): string {
  return `${number}:${hash}`
}

/** The block that a cursor's text names. */
export function fromCursor(cursor: string): BlockId {
  const [number, hash] = cursor.split(':')
  return { number: Number(number), hash: hash as Hash }
}
