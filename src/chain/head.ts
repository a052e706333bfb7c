import { UpstreamError } from '../errors.ts'
import type { RedisLink } from '../redis.ts'
import { createAdvance } from './head/advance.ts'
import { createFleet } from './head/fleet.ts'
import { createPoller } from './head/poller.ts'
import { createRhythm } from './head/rhythm.ts'
import { createHeadSource } from './head/source.ts'
import { applyChange, blockAt, newestOf, type Window } from './head/window.ts'
import type { Head, HeadChange } from './headTypes.ts'

/** A head with the whole recent window: what filters and subscriptions read. */
export type FollowedHead = Head & {
  /** The recent chain with its orphans; undefined before the first block. The same value until the next change. */
  window(): Window | undefined
  /** Whether the other replicas know our newest block, so that a position on it means the same to all. True without Redis. */
  joined(): boolean
}

/**
 * Follows the chain. Without Redis this process polls the node; with Redis one process of the fleet does, and all of them
 * apply the same steps in the same order.
 */
export function createHead({
  authoritative,
  baseFee,
  log = silent,
  native,
  now = Date.now,
  onLoaded,
  redis,
}: createHead.Options): FollowedHead {
  let window: Window | undefined
  let movedAt: number | undefined
  const listeners = new Set<(change: HeadChange) => void>()
  const source = createHeadSource({ baseFee, native, onLoaded })
  const rhythm = createRhythm()

  function apply(change: HeadChange): void {
    const final = window?.solid
    window = applyChange(window, change)
    if (!authoritative && change.removed.some(({ hash }) => hash === final?.hash))
      log.error(
        { number: final?.number },
        'the node abandoned a block that it had called solidified',
      )
    if (change.added.length > 0 || change.removed.length > 0) {
      movedAt = now()
      rhythm.seen(newestOf(window).timestamp, movedAt)
    }
    if (change.removed.length > 0)
      log.info(
        { depth: change.removed.length, number: newestOf(window).number },
        'the chain was reorganised',
      )
    for (const listener of listeners)
      try {
        listener(change)
      } catch (error) {
        log.error({ err: error }, 'a listener of the head failed')
      }
  }

  const fleet =
    redis &&
    createFleet({
      apply,
      link: redis,
      log,
      now,
      replace: (next) => {
        window = next
      },
      nodeDownSince: () => poller.downSince(),
      onActive: () => poller.poke(),
      source,
      window: () => window,
    })
  const advance = createAdvance({
    authoritative,
    now,
    publish: async (change) => {
      if (fleet) return fleet.publish(change)
      apply(change)
      return true
    },
    source,
    window: () => window,
  })
  const poller = createPoller({
    active: () => fleet?.active() ?? true,
    advance,
    now,
    onState: (state, error) =>
      state === 'up' ? log.info('the node answers') : log.warn({ err: error }, 'the node is away'),
    rhythm,
  })

  function current(): Window {
    if (window) return window
    throw new UpstreamError('no block was seen yet: the node has not answered')
  }

  return {
    latest: () => newestOf(current()),
    solid: () => current().solid,
    at: (number) => window && blockAt(window, number),
    async recent(hash) {
      return window?.blocks.find((block) => block.hash === hash)
    },
    window: () => window,
    joined: () => fleet?.joined() ?? true,
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    poke: () => poller.poke(),
    status: () => ({
      role: fleet?.role() ?? 'alone',
      number: window && newestOf(window).number,
      solid: window?.solid.number,
      age: movedAt === undefined ? undefined : now() - movedAt,
      upstream: poller.upstream(),
      ...problemOf(fleet?.problem() ?? advance.problem()),
    }),
    async start() {
      await fleet?.start()
      await poller.start()
    },
    async stop() {
      await poller.stop()
      await fleet?.stop()
    },
  }
}

export declare namespace createHead {
  type Options = {
    native: createHeadSource.Options['native']
    /** The chain is in this process: its head is followed wherever it goes, also back. @default false */
    authoritative?: boolean | undefined
    baseFee?: createHeadSource.Options['baseFee']
    /** Gets every block that was read whole, to feed caches. */
    onLoaded?: createHeadSource.Options['onLoaded']
    /** What the replicas share; without it this process follows the chain for itself. */
    redis?: RedisLink | undefined
    log?: HeadLog | undefined
    now?: (() => number) | undefined
  }
}

/** Where state changes are told: a pino logger fits. */
export type HeadLog = Record<'info' | 'warn' | 'error', LogFunction>

type LogFunction = { (message: string): void; (fields: object, message: string): void }

const silent: HeadLog = { info() {}, warn() {}, error() {} }

function problemOf(problem: string | undefined): { problem?: string } {
  return problem === undefined ? {} : { problem }
}
