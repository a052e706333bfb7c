import type { Hash } from 'viem'

import type { BlockRef } from '../../codec/blockRef.ts'
import type { RpcLog } from '../../codec/types.ts'
import type { Call } from '../../lib/call.ts'
import { InvalidParamsError } from '../../lib/errors.ts'
import { type Prepared, preparedOf } from '../../lib/prepared.ts'
import type { Chain, LogMatch } from '../blocks/chainTypes.ts'
import {
  BehindError,
  endOf,
  fromCursor,
  pageFrom,
  toCursor,
  whenReceived,
} from '../changes/page.ts'
import type { PendingResponse } from '../changes/response.ts'
import { createTopic } from '../changes/topic.ts'
import type { Head, HeadLog } from '../head/headTypes.ts'
import { newestIn, windowOf } from '../head/window.ts'
import { createClaims } from './claims.ts'
import type { PendingFeed } from './pending.ts'
import {
  FilterNotFoundError,
  type FilterOwner,
  type FilterSpec,
  type FilterStore,
  type StoredFilter,
} from './store.ts'

/** Filters of one view. */
export type Filters = ReturnType<typeof createFilters>

/** A log filter as the client gave it. */
type LogFilterQuery = LogMatch & { fromBlock?: BlockRef; toBlock?: BlockRef }

/** Filters over one view of the chain. */
export function createFilters({
  chain,
  head,
  log,
  pageSize,
  pending,
  store,
  ttl,
}: createFilters.Options) {
  const claims = createClaims({ log, store })

  const newest = () => newestIn(windowOf(head), chain.view)

  /** Heights of a log filter; `latest` and `pending` leave an end open. */
  async function rangeOf({
    fromBlock,
    toBlock,
  }: LogFilterQuery): Promise<{ from?: number; to?: number }> {
    const from = await endOf(chain, fromBlock)
    const to = await endOf(chain, toBlock)
    if (from !== undefined && to !== undefined && from > to)
      throw new InvalidParamsError(0, 'please verify: fromBlock <= toBlock')
    return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
  }

  /** The cursor of a new filter. A filter delivers only blocks after the newest one, for any range. */
  function cursorNow(): string {
    const { hash, number } = newest()
    return toCursor({ number, hash })
  }

  /** Waits until all replicas know the newest block. Only then can each of them resume a cursor on it. */
  async function waitForReplicas(): Promise<void> {
    if (head.isShared()) return
    // If the store cannot be used, its error names the cause.
    await store.check()
    await whenReceived(async () => {
      if (!head.isShared()) throw new BehindError()
    })
  }

  async function pageOf(
    { cursor, spec }: StoredFilter,
    call: Call,
  ): Promise<{ items: string[]; cursor: string } | undefined> {
    if (spec.kind === 'pending') {
      await pending.want(ttl)
      const page = await pending.since(cursor, pageSize)
      if (!page) return undefined
      const { hashes, position } = page
      return { items: hashes.map((hash) => `"${hash}"`), cursor: position }
    }
    const topic = createTopic(chain, spec)
    const options = { chain, head, limit: pageSize, call }
    const page = await whenReceived(() => pageFrom(topic, fromCursor(cursor), options))
    return page && { items: page.items, cursor: toCursor(page.cursor) }
  }

  return {
    /** @throws LimitExceededError, InvalidParamsError, StoreUnavailableError */
    async createLogs(owner: FilterOwner, query: LogFilterQuery) {
      const { addresses, topics } = query
      await waitForReplicas()
      const range = await rangeOf(query)
      // Without fromBlock the range starts here, or at `toBlock` when that is in the past.
      const scanFrom = range.from ?? Math.min(newest().number, range.to ?? Infinity)
      const spec: FilterSpec = {
        kind: 'logs',
        view: chain.view,
        addresses,
        topics,
        ...range,
        scanFrom,
      }
      return store.create(owner, { spec, cursor: cursorNow() })
    },
    async createBlocks(owner: FilterOwner) {
      await waitForReplicas()
      const spec: FilterSpec = { kind: 'blocks', view: chain.view }
      return store.create(owner, { spec, cursor: cursorNow() })
    },
    async createPending(owner: FilterOwner) {
      await pending.want(ttl)
      const spec: FilterSpec = { kind: 'pending', view: chain.view }
      return store.create(owner, { spec, cursor: await pending.position() })
    },
    /**
     * The changes since the last delivered page. The page counts as delivered when its response has left the socket. Until
     * then it is reserved. If the response cannot be sent, the next poll gets the page.
     *
     * @throws FilterNotFoundError, StoreUnavailableError, UpstreamError, LimitExceededError
     */
    async changes(id: string, call: PendingResponse & Call) {
      await waitForReplicas()
      const claimed = await claims.claim(id, cursorNow)
      if (claimed === 'nothing') return NOTHING
      try {
        if (claimed?.spec.view !== chain.view) throw new FilterNotFoundError()
        const page = await pageOf(claimed, call)
        if (!page) {
          log.warn({ id }, 'removed a filter: the blocks after its cursor are no longer known')
          await store.remove(id)
          throw new FilterNotFoundError()
        }
        if (page.items.length > 0) claimed.deliver(page.cursor, call)
        else await claimed.skip(page.cursor)
        return toPage(page.items)
      } catch (error) {
        await claimed?.release()
        throw error
      }
    },
    /** All logs in the range of a log filter. @throws FilterNotFoundError and as `chain.logs` */
    async logs(id: string, call?: Call) {
      const filter = await store.read(id)
      if (filter?.spec.kind !== 'logs' || filter.spec.view !== chain.view)
        throw new FilterNotFoundError()
      const { addresses, scanFrom, to, topics } = filter.spec
      return chain.logs({ addresses, topics, fromBlock: scanFrom, toBlock: to ?? 'latest' }, call)
    },
    uninstall: (id: string) => store.remove(id),
    stop: () => claims.stop(),
  }
}

export declare namespace createFilters {
  type Options = {
    chain: Pick<Chain, 'block' | 'logRows' | 'logs' | 'nextRun' | 'resolve' | 'view'>
    head: Pick<Head, 'isShared' | 'window'>
    store: FilterStore
    pending: PendingFeed
    /** Maximum number of items of one page. A page ends at a block boundary. */
    pageSize: number
    /** Milliseconds after which a filter without a poll expires. */
    ttl: number
    log: HeadLog
  }
}

/** Joins JSON texts to one JSON array. All of them are ASCII. */
function toPage(items: readonly string[]): Prepared<(RpcLog | Hash)[]> {
  return preparedOf(Buffer.from(`[${items.join(',')}]`, 'latin1'))
}

const NOTHING = toPage([])
