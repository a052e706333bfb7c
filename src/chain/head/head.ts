import type { Hash } from 'viem'

import type { RedisLink } from '../../lib/redis.ts'
import type { NextRun } from '../reads/blockRange.ts'
import type { ChainUpdate, Head, HeadLog, Window } from './headTypes.ts'
import { createPoller } from './poller.ts'
import { createPollSchedule } from './pollSchedule.ts'
import { isReset } from './reconcile.ts'
import { createReplication, type Replication } from './replication.ts'
import { createSharedFloor } from './sharedFloor.ts'
import { createHeadSource } from './source.ts'
import { createHeadSync } from './sync.ts'
import { createTransactionIndex } from './transactionIndex.ts'
import { applyUpdate, blockAt, newestOf, windowOf } from './window.ts'

/**
 * Follows the chain. Without Redis this process polls the node. With Redis one of the replicas does, and all of them
 * apply the same updates in the same order.
 */
export function createHead({
  isInProcess,
  baseFee,
  genesis,
  log = silent,
  native,
  nextRun,
  now = () => performance.now(),
  onLoaded,
  onReplaced,
  redis,
}: createHead.Options): Head {
  let window: Window | undefined
  let movedAt: number | undefined
  /** Whether the head moved after it was first known: the head of a chain without producers does not. */
  let isAlive = false
  let first: Hash | undefined
  let isStopped = false
  const listeners = new Set<(update: ChainUpdate) => void>()
  const source = createHeadSource({ isInProcess, baseFee, native, onLoaded })
  const schedule = createPollSchedule()
  const transactions = createTransactionIndex()

  function apply(update: ChainUpdate): void {
    const final = window?.solidified
    isAlive ||= window !== undefined
    const next = applyUpdate(window, update)
    transactions.update(window, next, update)
    window = next
    const wasReset = isReset(first, update.first)
    first = update.first ?? first
    if (wasReset) log.warn('the chain was reset')
    else if (!isInProcess && update.removed.some(({ hash }) => hash === final?.hash))
      log.error({ number: final?.number }, 'the upstream reverted a solidified block')
    if (update.added.length > 0 || update.removed.length > 0) {
      movedAt = now()
      schedule.blockSeen(newestOf(window).timestamp, movedAt)
    }
    if (update.removed.length > 0) {
      onReplaced?.()
      log.info({ depth: update.removed.length, number: newestOf(window).number }, 'reorg')
    }
    floor?.moved()
    for (const listener of listeners)
      try {
        listener(update)
      } catch (error) {
        log.error({ err: error }, 'a listener of chain updates failed')
      }
  }

  const floor =
    redis &&
    createSharedFloor({
      isActive: () => replication?.problem() === undefined,
      newest: () => (window ? newestOf(window).number : -1),
      now,
      redis,
    })
  const replication: Replication | undefined =
    redis &&
    createReplication({
      genesis,
      link: redis,
      log,
      now,
      onRole: () => poller.pollNow(),
      own: {
        apply,
        first: () => first,
        prepare: async (update) => floor?.prepare(update),
        replace: (next) => void (window = next),
        window: () => window,
      },
      source,
      upstream: () => poller.upstream(),
    })
  const sync = createHeadSync({
    isInProcess,
    first: () => first,
    nextRun,
    now,
    onReplaced,
    publish: async (update) => {
      if (replication) return replication.publish(update)
      apply(update)
      return true
    },
    source,
    window: () => window,
  })
  const poller = createPoller({
    active: () => replication?.role() !== 'follower',
    now,
    onState: (state, error) =>
      state === 'up'
        ? log.info('the node answers')
        : log.warn({ reason: (error as Error).message }, 'the node cannot be used'),
    async probe() {
      const { number } = await source.tip()
      replication?.nodeAt(number)
    },
    schedule,
    sync,
  })

  const current = () => windowOf({ window: () => window })

  return {
    latest: () => newestOf(current()),
    solid: () => current().solidified,
    at: (number) => window && blockAt(window, number),
    blockWith: (transaction) => transactions.blockWith(transaction),
    window: () => window,
    isShared: () => replication?.isShared() ?? true,
    onUpdate(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    pollNow: () => poller.pollNow(),
    reached: () => floor?.reached(),
    status() {
      const problem = replication?.problem() ?? sync.problem() ?? poller.upstream().reason
      return {
        role: replication?.role() ?? 'standalone',
        number: window && newestOf(window).number,
        solid: window?.solidified.number,
        age: movedAt === undefined ? undefined : now() - movedAt,
        isStalled: isAlive && movedAt !== undefined && now() - movedAt > STALLED,
        upstream: poller.upstream().state,
        ...(problem !== undefined && { problem }),
      }
    },
    async start() {
      isStopped = false
      await replication?.start()
      // `stop` may have been called meanwhile.
      if (!isStopped) await poller.start()
    },
    async stop() {
      isStopped = true
      await poller.stop()
      await replication?.stop()
      floor?.stop()
    },
  }
}

export declare namespace createHead {
  type Options = {
    native: createHeadSource.Options['native']
    /** Hash of block 0. */
    genesis: Hash
    /** The chain is in this process: the head follows it to any block, also to a lower one. @default false */
    isInProcess?: boolean | undefined
    baseFee?: createHeadSource.Options['baseFee']
    /** The runs of empty blocks of a chain in this process, which are skipped. Not for replicas: their journal has every block. */
    nextRun?: NextRun | undefined
    /** Called with every block that was read whole, to fill caches. */
    onLoaded?: createHeadSource.Options['onLoaded']
    /** Called when blocks were removed, and before another history of the chain is read. */
    onReplaced?: (() => void) | undefined
    /** The journal that the replicas share. Without it this process polls the node itself. */
    redis?: RedisLink | undefined
    log?: HeadLog | undefined
    /** Monotonic milliseconds. @default performance.now */
    now?: (() => number) | undefined
  }
}

/** Milliseconds without a block after which the head has stalled: a transaction that is signed then has expired. */
const STALLED = 60_000

const silent: HeadLog = { info() {}, warn() {}, error() {} }
