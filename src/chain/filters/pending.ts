import type { Hash } from 'viem'

import type { NativeClient } from '../../native/client.ts'
import type { ChainUpdate, Head, HeadStatus, RecentBlock } from '../head/headTypes.ts'
import { newestOf } from '../head/window.ts'
import { KEPT_HASHES, type PendingLog, type PendingPage, type WatchRequest } from './pendingLog.ts'

/**
 * Pending transactions. Each is announced once: when the mempool has it, when it is sent through this gateway, or at the
 * latest with its block, before the head of that block.
 */
export type PendingFeed = ReturnType<typeof createPendingFeed>

/** Milliseconds between polls of the mempool. */
const POLL = 500

/** Milliseconds for which a process with listeners requests polls from the leader. It renews the request in time. */
const WATCH_TIME = 10_000

/** Number of announced hashes that this process keeps. The mempool holds 2,000. */
const MEMORY = 20_000

/** Hashes that one read of the log returns. */
const BATCH = 1_000

/** Watches the mempool while a client needs it. The leader polls it for all replicas. */
export function createPendingFeed({
  head,
  isInProcess = false,
  log,
  native,
  now = () => performance.now(),
  onError,
}: createPendingFeed.Options) {
  const listeners = new Set<(hashes: Hash[]) => void>()
  /** Hashes that this process has announced or must not announce. */
  const announced = new Set<Hash>()
  /** Hashes that are not yet in the log. */
  let unwritten: Hash[] = []
  let writing = Promise.resolve()
  /** Position in the log up to which this process has announced; undefined without listeners. */
  let readUpTo: string | undefined
  let starting = Promise.resolve()
  let watchedUntil = 0
  let renewAt = 0
  /** Blocks up to this height are older than the request to watch the mempool. */
  let watchedFrom = Infinity
  let timer: NodeJS.Timeout | undefined
  let active: Promise<unknown> = Promise.resolve()
  let stopped = false
  let failing = false
  const stopHead = head.onUpdate(onUpdate)

  const isWatched = () => listeners.size > 0 || now() < watchedUntil
  const newest = () => {
    const window = head.window()
    return window ? newestOf(window).number : -1
  }

  /** Announces the hashes that this process has not announced before to its listeners, and returns them. */
  function announceNew(hashes: readonly Hash[]): Hash[] {
    const fresh = [...new Set(hashes)].filter((hash) => !announced.has(hash))
    markAnnounced(fresh)
    if (fresh.length > 0) for (const listener of listeners) listener(fresh)
    return fresh
  }

  function markAnnounced(hashes: readonly Hash[]): void {
    for (const hash of hashes) announced.add(hash)
    for (const hash of announced) {
      if (announced.size <= MEMORY) break
      announced.delete(hash)
    }
  }

  function announce(hashes: readonly Hash[]): void {
    // While the log cannot be written, the newest hashes are kept here, as many as the log keeps.
    unwritten = [...unwritten, ...announceNew(hashes)].slice(-KEPT_HASHES)
    flush().catch(report)
  }

  /** Writes announced hashes to the log, one batch after the other. A failed batch is written later. */
  function flush(): Promise<void> {
    writing = writing.catch(() => undefined).then(write)
    return writing
  }

  async function write(): Promise<void> {
    while (unwritten.length > 0) {
      const batch = unwritten.slice(0, BATCH)
      await log.append(batch)
      unwritten = unwritten.slice(batch.length)
    }
  }

  function onUpdate({ added, removed }: ChainUpdate): void {
    if (!isWatched()) return
    // The transactions of a removed block were announced no later than with that block.
    const before = new Set(removed.flatMap(({ transactions }) => transactions))
    const blocks = removed.length > 0 ? added : added.filter(({ number }) => number > watchedFrom)
    announce(transactionsOf(blocks).filter((hash) => !before.has(hash)))
  }

  /** Watches the mempool as requested by any replica. A process that reads the request late announces the blocks since then. */
  function watch({ height, milliseconds }: WatchRequest): void {
    const window = isWatched() ? undefined : head.window()
    watchedUntil = Math.max(watchedUntil, now() + milliseconds)
    watchedFrom = listeners.size > 0 ? Math.min(watchedFrom, height) : height
    if (!window) return
    const from = Math.max(height, window.solidified.number)
    announce(transactionsOf(window.blocks.filter(({ number }) => number > from)))
  }

  async function readRequest(): Promise<void> {
    const request = await log.wanted()
    if (request) watch(request)
  }

  async function renew(): Promise<void> {
    if (listeners.size === 0 || now() < renewAt) return
    watch(await log.want(WATCH_TIME, newest()))
    renewAt = now() + WATCH_TIME / 3
  }

  async function pollMempool(): Promise<void> {
    const { txId = [] } = await native.wallet.getTransactionListFromPending()
    const hashes = txId.map((id): Hash => `0x${id}`).filter((hash) => !announced.has(hash))
    if (hashes.length === 0) return
    if (listeners.size > 0 && readUpTo === undefined) return announce(hashes)
    try {
      await log.append(hashes)
      await readLog()
      // Another replica, such as the previous leader, has announced the others.
      markAnnounced(hashes)
    } catch (error) {
      announce(hashes)
      throw error
    }
  }

  /** Announces the entries that any replica has added to the log. */
  async function readLog(): Promise<void> {
    while (readUpTo !== undefined) {
      const page = await log.since(readUpTo, BATCH)
      readUpTo = page ? page.position : await log.position()
      if (!page || page.hashes.length === 0) return
      announceNew(page.hashes)
    }
  }

  /** Makes listeners get only hashes after this position, and none from before. */
  async function startListening(): Promise<void> {
    markAnnounced(await log.recent(BATCH))
    await startReading()
  }

  /**
   * Reads the log from its end. If the log could not be read when the first listener was added, it may contain hashes that
   * are new to the listeners by now. They are announced with their blocks.
   */
  async function startReading(): Promise<void> {
    const position = await log.position()
    if (listeners.size > 0) readUpTo ??= position
  }

  async function poll(): Promise<void> {
    const isPolling = head.status().role !== 'follower'
    const steps = [
      renew,
      ...(isPolling && !isWatched() ? [readRequest] : []),
      async () => (isPolling && isWatched() ? pollMempool() : undefined),
      flush,
      async () => (listeners.size > 0 && readUpTo === undefined ? startReading() : readLog()),
    ]
    let failed = false
    // A failure of the log does not stop polls of the mempool, and a failure of the node does not stop reads of the log.
    for (const step of steps)
      try {
        await step()
      } catch (error) {
        failed = true
        report(error)
      }
    if (!failed) failing = false
  }

  /** Reports the first failure of a series. */
  function report(error: unknown): void {
    if (!failing) onError(error)
    failing = true
  }

  function schedule(): void {
    if (stopped) return
    timer = setTimeout(() => {
      active = poll().finally(schedule)
    }, POLL)
    timer.unref()
  }
  schedule()

  return {
    /** Keeps the mempool watched for some milliseconds. */
    async want(milliseconds: number): Promise<void> {
      watch(await log.want(milliseconds, newest()))
      if (isInProcess) await pollMempool().catch(report)
    },
    /** The current position of the feed. */
    position: () => log.position(),
    /** Hashes after a position, oldest first. Undefined when some of them were dropped. */
    async since(position: string, limit: number): Promise<PendingPage | undefined> {
      await flush()
      return log.since(position, limit)
    },
    /** Calls the listener with new hashes. Returns a function that removes the listener. */
    listen(listener: (hashes: Hash[]) => void): () => void {
      if (!isWatched()) watchedFrom = newest()
      listeners.add(listener)
      renewAt = 0
      if (listeners.size === 1) starting = startListening().catch(report)
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) readUpTo = undefined
      }
    },
    /** Resolves when listeners get all later announcements of all replicas. */
    listening: () => starting,
    /** Announces a transaction that was sent through this gateway. */
    sent(hash: Hash): void {
      if (isWatched()) return announce([hash])
      readRequest()
        .then(() => isWatched() && announce([hash]))
        .catch(report)
    },
    async stop(): Promise<void> {
      stopped = true
      stopHead()
      clearTimeout(timer)
      await active
      await writing.catch(() => undefined)
    },
  }
}

export declare namespace createPendingFeed {
  type Options = {
    head: Pick<Head, 'onUpdate' | 'window'> & { status(): Pick<HeadStatus, 'role'> }
    /** Whether the node is in this process. Then each read of a filter polls its mempool first. @default false */
    isInProcess?: boolean | undefined
    log: PendingLog
    native: { wallet: Pick<NativeClient['wallet'], 'getTransactionListFromPending'> }
    /** Monotonic milliseconds. @default performance.now */
    now?: (() => number) | undefined
    onError: (error: unknown) => void
  }
}

function transactionsOf(blocks: readonly RecentBlock[]): Hash[] {
  return blocks.flatMap(({ transactions }) => transactions)
}
