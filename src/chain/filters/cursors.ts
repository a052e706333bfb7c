import { createHash, randomUUID } from 'node:crypto'

import type { BlockId, BlockRef } from '../../codec/blockRef.ts'
import { toQuantity } from '../../codec/quantity.ts'
import type { RpcLog } from '../../codec/types.ts'
import type { Call } from '../../lib/call.ts'
import { InvalidParamsError, RpcError, UpstreamError } from '../../lib/errors.ts'
import { preparedOf } from '../../lib/prepared.ts'
import { sleep } from '../../lib/sleep.ts'
import type { Chain, LogMatch } from '../blocks/chainTypes.ts'
import {
  BehindError,
  endOf,
  fromCursor,
  pageFrom,
  toCursor,
  whenReceived,
} from '../changes/page.ts'
import { createTopic, idAt, type Page, type Topic } from '../changes/topic.ts'
import type { Head } from '../head/headTypes.ts'
import { blockAt, newestIn, windowOf } from '../head/window.ts'
import { type FilterOwner, type FilterSpec, type FilterStore, PAGE_LEASE } from './store.ts'

/**
 * Named cursors of one view: log filters that start at any block, keep their position until the client acknowledges a page, and
 * outlive connections, restarts and weeks.
 *
 * A position is a block, as the text `number:hash`. The store keeps the acknowledged position and, after `>`, the end of the last
 * page. That page is the answer again until it is acknowledged.
 */
export type Cursors = ReturnType<typeof createCursors>

/** Who calls. Callers with an API key have names of their own; the others share theirs. */
export type CursorOwner = FilterOwner & { key?: string | undefined }

/** The logs of a cursor and its first block. */
export type CursorQuery = LogMatch & { from?: BlockRef | undefined }

type NextOptions = { limit: number; call: Call }

/** Milliseconds between attempts while another call changes the cursor. */
const BUSY_STEP = 10

/** Creates the cursors of one view. */
export function createCursors({ chain, head, store }: createCursors.Options) {
  const idOf = ({ key }: CursorOwner, name: string) =>
    createHash('sha256')
      .update(JSON.stringify([key ?? null, chain.view, name]))
      .digest('hex')

  async function find(id: string) {
    const found = await (await store()).read(id)
    if (found?.spec.kind !== 'logs') return undefined
    const [acknowledged = '', answered] = found.cursor.split('>')
    return { acknowledged, answered, spec: found.spec, stored: found.cursor }
  }

  async function read(id: string) {
    const found = await find(id)
    if (found) return found
    throw new CursorNotFoundError()
  }

  /** Replaces the stored text. False when another call has changed it. */
  async function move(id: string, from: string, to: string): Promise<boolean> {
    const token = randomUUID()
    const cursors = await store()
    for (let waited = 0; waited <= 2 * PAGE_LEASE; waited += BUSY_STEP) {
      const claim = await cursors.claim(id, token, '')
      if (!claim) throw new CursorNotFoundError()
      if (claim.state === 'claimed') {
        if (claim.cursor === from) return cursors.commit(id, token, from, to)
        await cursors.release(id, token)
        return false
      }
      await sleep(BUSY_STEP)
    }
    throw new UpstreamError('the cursor is in use, try again')
  }

  /** The block before the first one. Block 0 has no logs, so it may count as read. */
  async function startOf(first: number | undefined): Promise<BlockId> {
    const { hash, number } = newestIn(windowOf(head), chain.view)
    if (first === undefined || first > number) return { number, hash }
    return idAt(chain, Math.max(0, first - 1))
  }

  /**
   * The page after a position: the one that was answered before, while its end comes after the position, otherwise a new one. A new page
   * has more logs than `limit` when its first block has.
   *
   * @throws CursorLostError when the block of the position was removed and is not known any more; BehindError
   */
  async function pageAfter(
    spec: Extract<FilterSpec, { kind: 'logs' }>,
    at: BlockId,
    answered: BlockId | undefined,
    { limit, call }: NextOptions,
  ): Promise<Page> {
    // The window has no hashes of the blocks below it.
    const isBelow = at.number < (windowOf(head).blocks[0]?.number ?? 0)
    if (isBelow && (await idAt(chain, at.number, call)).hash !== at.hash)
      throw new CursorLostError(at)
    const topic = createTopic(chain, spec)
    const options = { chain, head, limit, call }
    const same = answered && (await samePage(topic, at, { ...options, end: answered }))
    const page = same ?? (await whenReceived(() => pageFrom(topic, at, options)))
    if (!page) throw new CursorLostError(at)
    return page
  }

  /** The page up to an end that was answered before; undefined when that block was removed. @throws BehindError */
  async function samePage(
    topic: Topic,
    at: BlockId,
    options: pageFrom.Options & { end: BlockId },
  ): Promise<Page | undefined> {
    try {
      return await whenReceived(() => pageFrom(topic, at, options))
    } catch (error) {
      const other = blockAt(windowOf(head), options.end.number)
      // A process that has started after a reorg never receives the removed block.
      if (error instanceof BehindError && other && other.hash !== options.end.hash) return undefined
      throw error
    }
  }

  return {
    /**
     * Creates a cursor, or finds the one with this name. @param from - the first block; the block after the newest one if absent.
     *
     * @throws InvalidParamsError when a cursor with this name has another filter; LimitExceededError
     */
    async open(owner: CursorOwner, name: string, { addresses, from, topics }: CursorQuery) {
      const id = idOf(owner, name)
      const cursors = await store()
      const first = await endOf(chain, from)
      const spec: FilterSpec = {
        kind: 'logs',
        view: chain.view,
        addresses,
        topics,
        scanFrom: 0,
        ...(first !== undefined && { from: first }),
      }
      for (;;) {
        const existing = await cursors.read(id)
        const cursor = existing?.cursor ?? toCursor(await startOf(first))
        await cursors.create(owner, { spec, cursor }, id)
        const kept = await find(id)
        // Another call has closed it since.
        if (!kept) continue
        if (queryOf(kept.spec) !== queryOf(spec))
          throw new InvalidParamsError(
            0,
            'a cursor with this name exists and has another filter; ethgate_closeCursor removes it, or use another name',
          )
        return { cursor: kept.acknowledged, created: !existing }
      }
    },
    /**
     * The logs after the acknowledged position, as whole blocks; after a reorg the removed logs come first. The same page until it
     * is acknowledged, except when a reorg has removed its last block. A replica that lacks that block waits for it. `cursor` is the
     * position to acknowledge.
     *
     * @throws CursorNotFoundError, CursorLostError, BehindError, UpstreamError, LimitExceededError
     */
    async next(owner: CursorOwner, name: string, options: NextOptions) {
      const id = idOf(owner, name)
      for (;;) {
        const { acknowledged, answered, spec, stored } = await read(id)
        const at = fromCursor(acknowledged)
        const end = answered === undefined ? undefined : fromCursor(answered)
        const page = await pageAfter(spec, at, end, options)
        const cursor = toCursor(page.cursor)
        // An empty page needs no acknowledgement.
        const text = page.items.length > 0 ? `${acknowledged}>${cursor}` : cursor
        if (!(await move(id, stored, text))) continue
        return {
          logs: preparedOf<RpcLog[]>(Buffer.from(`[${page.items.join(',')}]`, 'latin1')),
          cursor,
        }
      }
    },
    /**
     * The page that ends at `cursor` was processed. Repeating it changes nothing. False when `cursor` is not the end of the page that
     * was answered last, nor the acknowledged position. @throws CursorNotFoundError
     */
    async acknowledge(owner: CursorOwner, name: string, cursor: string) {
      const id = idOf(owner, name)
      for (;;) {
        const { acknowledged, answered, stored } = await read(id)
        if (cursor === acknowledged) return true
        if (cursor !== answered) return false
        if (await move(id, stored, answered)) return true
      }
    },
    /** Removes a cursor. Returns whether it existed. */
    close: async (owner: CursorOwner, name: string) => (await store()).remove(idOf(owner, name)),
  }
}

export declare namespace createCursors {
  type Options = {
    chain: Pick<Chain, 'block' | 'logRows' | 'nextRun' | 'resolve' | 'view'>
    head: Pick<Head, 'window'>
    /** Opens the store at the first use. @throws RpcError when cursors cannot be kept */
    store: () => Promise<FilterStore>
  }
}

/** What a cursor reads, without its first block, which may be given again as a tag. */
function queryOf(spec: FilterSpec): string {
  return spec.kind === 'logs' ? JSON.stringify([spec.addresses, spec.topics]) : ''
}

/** `-32000`: no cursor with this name, or it has expired. */
class CursorNotFoundError extends RpcError {
  override name = 'CursorNotFoundError'

  constructor() {
    super(-32000, 'cursor not found: open it with ethgate_openCursor')
  }
}

/** `-32000`: a reorg removed the block of the position, and its logs are not known any more. */
class CursorLostError extends RpcError {
  override name = 'CursorLostError'

  constructor({ hash, number }: BlockId) {
    super(
      -32000,
      `a reorg removed block ${number} (${hash}), and its logs are not known any more: close the cursor and open it again from an earlier block`,
      { data: { blockNumber: toQuantity(number), blockHash: hash } },
    )
  }
}
