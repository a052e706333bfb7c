import { randomUUID } from 'node:crypto'

import type { RedisLink } from '../../redis.ts'
import type { HeadLog } from '../head.ts'
import type { HeadChange, HeadStatus } from '../headTypes.ts'
import { createCatchUp } from './catchUp.ts'
import { createJournal, type JournalEntry, LEASE, toEntry } from './journal.ts'
import { planPublication, relationOf, toChange } from './reconcile.ts'
import type { HeadSource } from './source.ts'
import { applyChange, FORK_WINDOW, MAX_WINDOW, newestOf, type Window } from './window.ts'

/** Milliseconds between attempts to take or renew the lease: four renewals in its time. */
const BEAT = LEASE / 4

/** Milliseconds without Redis after which every process looks at the node itself. */
const ALONE_AFTER = 1_500

/** Milliseconds for which a leader may fail to reach the node before it lets another try, and how long it then stands back. */
const HELPLESS = 5_000
const STAND_BACK = 2 * BEAT

/** The replicas that share a Redis, seen from one of them. */
export type Fleet = {
  role(): HeadStatus['role']
  /** Whether this process is the one that looks at the node. */
  active(): boolean
  /** Makes a step known to the fleet and applies it here; false when it must be worked out again. */
  publish(change: HeadChange): Promise<boolean>
  /** Whether the fleet knows our newest block: only then may a position on it be kept for others. */
  joined(): boolean
  /** Why this process takes no part. */
  problem(): string | undefined
  /** Resolves once the part of this process is known, or Redis was waited for long enough. */
  start(): Promise<void>
  stop(): Promise<void>
}

/**
 * One leader by lease; its token is checked with every step that is published, so a leader that was paused cannot publish
 * after another has taken over. All apply the steps from the stream. While Redis is away each process follows the chain
 * alone, and afterwards they meet again on what the fleet has.
 */
export function createFleet(options: createFleet.Options): Fleet {
  const {
    apply,
    id = randomUUID(),
    link,
    log,
    nodeDownSince,
    now,
    onActive,
    replace,
    source,
    window,
  } = options
  const journal = createJournal(link)
  const catchUp = createCatchUp({ apply, journal, replace, source, window })
  const life = { stopped: false }
  let role: HeadStatus['role'] = 'follower'
  let token: string | undefined
  let position: string | undefined
  let belongs: boolean | undefined
  let joined = false
  let standingBackUntil = 0
  let downSince: number | undefined = now()
  let loops: Promise<unknown> | undefined

  let settle = () => {}
  const settled = new Promise<void>((resolve) => {
    settle = resolve
  })

  function become(next: HeadStatus['role']): void {
    if (role === next) return
    role = next
    if (role === 'alone') joined = false
    log.info({ role }, 'the role of this process changed')
    onActive()
  }

  /** Whether Redis keeps this very chain; asked once. */
  async function belongsHere(): Promise<boolean> {
    if (belongs === undefined) {
      belongs = await journal.sameChain(await source.genesis())
      if (!belongs)
        log.error({}, 'the Redis keys belong to another chain: set another --redis-prefix')
    }
    return belongs
  }

  async function beat(): Promise<void> {
    try {
      if (!(await belongsHere())) {
        become('alone')
        return settle()
      }
      if (position === undefined) await rebuild()
      const before = token
      if (token && now() - (nodeDownSince() ?? now()) > HELPLESS) await standBack(token)
      token = now() < standingBackUntil ? undefined : await journal.lead(id)
      downSince = undefined
      if (token && token !== before) await meet(token)
      become(token ? 'leader' : 'follower')
      settle()
    } catch (error) {
      downSince ??= now()
      token = undefined
      if (role !== 'alone' && now() - downSince >= ALONE_AFTER) {
        log.warn({ err: error }, 'Redis is away: following the chain alone')
        position = undefined
        become('alone')
        settle()
      }
    }
  }

  /** Another replica may have a node that answers. */
  async function standBack(held: string): Promise<void> {
    log.warn({}, 'the node does not answer: another replica may lead')
    standingBackUntil = now() + STAND_BACK
    await journal.resign(held)
  }

  /** A new leader and the journal agree before anything is published. */
  async function meet(token: string): Promise<void> {
    await rebuild()
    const own = window()
    const plan = own && planPublication(own, await journal.snapshot())
    if (!own || !plan) return
    const outcome = await journal.publish(token, plan.entry, plan.blocks, oldestOf(own))
    joined = outcome === 'ok' && window() === own
  }

  /** Takes over what the journal has, and reads on from there. */
  async function rebuild(): Promise<void> {
    const snapshot = await catchUp.rebuild()
    if (!snapshot) {
      position ??= '0-0'
      return
    }
    position = snapshot.position
    const own = window()
    joined = own !== undefined && newestOf(own).hash === snapshot.blocks.at(-1)?.hash
  }

  async function follow(entry: JournalEntry): Promise<void> {
    const relation = relationOf(window(), entry)
    if (relation === 'known') {
      const own = window()
      if (own && newestOf(own).hash === entry.tip) joined = true
      return
    }
    if (relation === 'elsewhere') return rebuild()
    const added = await catchUp.contents(entry.added.map(({ hash }) => hash))
    const own = window()
    // The leader applies its own steps at once, maybe while their contents were read here.
    if (!own || entry.prev !== newestOf(own).hash) return
    apply(toChange(own, entry.removed, added, entry.solid))
    joined = true
  }

  async function followAll(): Promise<void> {
    while (!life.stopped) {
      try {
        if (position === undefined || link.status() === 'down') {
          await pause(100)
          continue
        }
        const from = position
        for (const { entry, position: at } of await journal.read(from)) {
          await follow(entry)
          position = at
        }
      } catch {
        await pause(200)
      }
    }
  }

  async function beats(): Promise<void> {
    while (!life.stopped) {
      await beat()
      await pause(link.status() === 'up' ? BEAT : 100)
    }
  }

  return {
    role: () => role,
    active: () => role !== 'follower',
    joined: () => joined && role !== 'alone',
    problem: () =>
      belongs === false
        ? 'the Redis keys belong to another chain: set another --redis-prefix'
        : undefined,
    async publish(change) {
      const own = window()
      const after = tryApply(own, change)
      // The window moved while the step was worked out.
      if (!after) return false
      if (role === 'alone') {
        apply(change)
        return true
      }
      if (!token) return false
      const prev = own ? newestOf(own).hash : ''
      const entry = toEntry(prev, change, newestOf(after).hash)
      const outcome = await journal.publish(token, entry, change.added, oldestOf(after))
      if (outcome === 'ok') {
        // The reader may have been faster.
        if (window() === own) apply(change)
        joined = true
        return true
      }
      if (outcome === 'fenced') {
        token = undefined
        become('follower')
      } else await meet(token)
      return false
    },
    async start() {
      loops ??= Promise.all([beats(), followAll()])
      await settled
    },
    async stop() {
      life.stopped = true
      if (token) await journal.resign(token).catch(() => undefined)
      journal.close()
      await loops
    },
  }

  function pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, life.stopped ? 0 : milliseconds))
  }
}

export declare namespace createFleet {
  type Options = {
    link: RedisLink
    source: HeadSource
    window: () => Window | undefined
    apply: (change: HeadChange) => void
    /** Takes a window that differs only in its orphans. */
    replace: (window: Window) => void
    /** Since when this process cannot reach the node; undefined when it can, or has not tried. */
    nodeDownSince: () => number | undefined
    /** The role changed: look at once. */
    onActive: () => void
    log: HeadLog
    now: () => number
    /** Tells replicas apart. @default a random one */
    id?: string | undefined
  }
}

function tryApply(window: Window | undefined, change: HeadChange): Window | undefined {
  try {
    return applyChange(window, change)
  } catch {
    return undefined
  }
}

/** The lowest block that the journal keeps: as `applyChange` does. */
function oldestOf({ blocks, solid }: Window): number {
  const newest = blocks.at(-1)?.number ?? 0
  return Math.max(Math.min(solid.number, newest) - FORK_WINDOW, newest - MAX_WINDOW + 1)
}
