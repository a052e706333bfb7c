import { randomUUID } from 'node:crypto'

import type { Hash } from 'viem'

import { type RedisLink, StoreUnavailableError } from '../../lib/redis.ts'
import { sleep } from '../../lib/sleep.ts'
import { askInTime } from './askInTime.ts'
import { createHeadJournal, LEASE, toEntry } from './headJournal.ts'
import type { ChainUpdate, HeadLog, OwnWindow, Window } from './headTypes.ts'
import { createJournalReader } from './journalReader.ts'
import type { UpstreamState } from './poller.ts'
import { planPublication } from './reconcile.ts'
import {
  type ReplicaEvent,
  type ReplicaState,
  roleOf,
  STANDALONE_AFTER,
  transition,
  wantsLease,
} from './replicaState.ts'
import type { HeadSource } from './source.ts'
import { applyUpdate, newestOf, oldestKept } from './window.ts'

/** Milliseconds between two heartbeats. The lease is renewed four times in its lifetime. */
const HEARTBEAT = LEASE / 4

/** Milliseconds to wait for the first answer of a heartbeat: it fails when this replica has to poll its node itself. */
const ANSWER_LIMIT = STANDALONE_AFTER - HEARTBEAT

/** Milliseconds between two heartbeats while Redis is unreachable. */
const RECONNECT = 100

/** Milliseconds in which a leader must publish a block that the node of another replica has. */
const OVERDUE = 4_000

/** Milliseconds in which a replica takes the lease from a leader once: two nodes on two branches may each be ahead of the other. */
const DEPOSE_PAUSE = 60_000

/** Replication between the replicas that share a Redis, as one of them runs it. */
export type Replication = ReturnType<typeof createReplication>

/**
 * Elects one leader by a lease and applies the updates that it publishes. The token of the lease is checked with every
 * update, so a leader that was paused cannot publish after another replica took over. Without Redis each replica polls
 * its node itself. When Redis is available again, all replicas load its window.
 */
export function createReplication({
  genesis,
  link,
  log,
  now,
  onRole,
  own,
  source,
  upstream,
}: createReplication.Options) {
  const { apply, first, prepare, window } = own
  /** Identifies this replica. */
  const id = randomUUID()
  const journal = createHeadJournal(link)
  const isConnected = () => link.status() !== 'down'
  const reader = createJournalReader({ isConnected, journal, log, own, source })
  const life = { stopped: false }
  let state: ReplicaState = { kind: 'connecting', since: now() }
  /** When Redis answered a whole heartbeat for the last time. */
  let answeredAt = now()
  /** Ends the wait for the answer to an update that this replica publishes. */
  let endPublishing = () => {}
  /** The token of another replica that leads. */
  let leader: string | undefined
  /** A block that our node has and that this leader has not published, and since when. */
  let missing: { number: number; since: number; leader: string } | undefined
  let deposesAt = 0
  let loops: Promise<unknown> | undefined
  let markStarted = () => {}
  const started = new Promise<void>((resolve) => {
    markStarted = resolve
  })

  /** Moves to the next state and runs its effects. */
  function dispatch(event: ReplicaEvent): void {
    const before = state
    state = transition(before, event)
    if (state === before) return
    if (before.kind === 'leading' && (state.kind === 'yielding' || state.kind === 'detached'))
      void journal.releaseLease(before.token).catch(() => undefined)
    if (state.kind === 'detached') {
      reader.reset()
      endPublishing()
    }
    report(state)
    if (roleOf(state) !== roleOf(before)) onRole()
    if (state.kind !== 'connecting') markStarted()
  }

  function report({ kind }: ReplicaState): void {
    switch (kind) {
      case 'leading':
      case 'following':
        return log.info({ role: kind === 'leading' ? 'leader' : 'follower' }, 'replica role')
      case 'yielding':
        return log.warn('the node is unreachable: leadership yielded')
      case 'detached':
        return log.warn('this replica polls the node itself until it can rejoin the others')
      case 'excluded':
        return log.error(OTHER_CHAIN)
      case 'connecting':
    }
  }

  async function heartbeat(): Promise<void> {
    try {
      const isSame = await askInTime(
        () => journal.isSameChain(genesis),
        ANSWER_LIMIT,
        undefined,
        now,
      )
      if (isSame === undefined) return redisFailed()
      if (!isSame) return dispatch({ kind: 'otherChain' })
      const { downSince } = upstream()
      if (downSince !== undefined)
        dispatch({ kind: 'upstreamUnreachable', at: now(), since: downSince })
      if (!reader.isReady() && !(await reader.rebuild()))
        return dispatch({ kind: 'windowMissing', at: now() })
      const wants = wantsLease(state, { at: now(), isUpstreamDown: upstream().state === 'down' })
      if (!wants) return answered({ kind: 'leaseDenied' })
      const deposed = overdueLeader()
      const { isOwn, token } = await journal.acquireLease(id, deposed)
      leader = isOwn ? undefined : token
      if (!isOwn) return answered({ kind: 'leaseDenied' })
      if (deposed !== undefined) {
        deposesAt = now() + DEPOSE_PAUSE
        log.warn('the leader does not publish the blocks of this node: leadership taken')
      }
      const isNew = state.kind !== 'leading' || state.token !== token
      if (isNew && !(await syncJournal(token))) {
        await journal.releaseLease(token)
        return answered({ kind: 'leaseDenied' })
      }
      answered({ kind: 'leaseGranted', token })
    } catch (error) {
      if (!(error instanceof StoreUnavailableError))
        log.error({ err: error }, 'the heartbeat failed')
      redisFailed()
    }
  }

  const redisFailed = () => dispatch({ kind: 'redisFailed', at: now(), since: answeredAt })

  function answered(event: ReplicaEvent): void {
    answeredAt = now()
    dispatch(event)
  }

  const newestNumber = () => {
    const current = window()
    return current ? newestOf(current).number : -1
  }

  /** The token of a leader whose node stands or is far behind ours. */
  function overdueLeader(): string | undefined {
    if (!missing || state.kind !== 'following' || missing.leader !== leader) return undefined
    if (newestNumber() >= missing.number || now() < deposesAt) return undefined
    return now() - missing.since > OVERDUE ? leader : undefined
  }

  /** Makes the journal and the window of a new leader equal. False when the node does not return a missing block. */
  async function syncJournal(token: string): Promise<boolean> {
    if (!(await reader.rebuild())) return false
    const current = window()
    const plan = current && planPublication(current, await journal.snapshot(), first())
    if (!current || !plan) return true
    const outcome = await journal.publish(token, plan.entry, plan.blocks, oldestOf(current))
    if (outcome === 'ok' && window() === current) reader.markShared(newestOf(current).hash)
    return true
  }

  /** Publishes as the leader. `failed`: Redis did not accept the update. */
  async function publishAs(token: string, before: Window | undefined, update: ChainUpdate) {
    const after = applyUpdate(before, update)
    const entry = toEntry(before ? newestOf(before).hash : '', update, newestOf(after).hash)
    try {
      const outcome = await journal.publish(token, entry, update.added, oldestOf(after))
      if (outcome === 'moved') await syncJournal(token)
      return outcome
    } catch (error) {
      if (error instanceof StoreUnavailableError) return 'failed'
      throw error
    }
  }

  async function heartbeats(): Promise<void> {
    while (!life.stopped) {
      await heartbeat()
      await pause(link.status() === 'down' ? RECONNECT : HEARTBEAT)
    }
  }

  const pause = (milliseconds: number) => sleep(life.stopped ? 0 : milliseconds)

  async function releaseLease(): Promise<void> {
    if (state.kind === 'leading') await journal.releaseLease(state.token).catch(() => undefined)
  }

  return {
    role: () => roleOf(state),
    /** Whether the other replicas know our newest block, so that they can resume a cursor on it. */
    isShared: () => roleOf(state) !== 'standalone' && reader.isShared(),
    /** Why this replica does not take part, as text for operators. */
    problem: () => (state.kind === 'excluded' ? OTHER_CHAIN : undefined),
    /** The newest block of our node, as seen while another replica leads. */
    nodeAt(number: number): void {
      const isPublished = newestNumber() >= (missing?.number ?? -1)
      if (!isPublished && missing?.leader === leader) return
      missing =
        leader !== undefined && number > newestNumber()
          ? { number, since: now(), leader }
          : undefined
    },
    /** Publishes an update to all replicas and applies it here. False when it was not published and must be computed again. */
    async publish(update: ChainUpdate): Promise<boolean> {
      const before = window()
      // The window changed while the update was computed.
      if (!links(before, update)) return false
      if (roleOf(state) === 'standalone') {
        await prepare(update)
        if (window() !== before) return false
        apply(update)
        return true
      }
      if (state.kind !== 'leading') return false
      const isEnded = new Promise<'failed'>((resolve) => (endPublishing = () => resolve('failed')))
      const outcome = await Promise.race([publishAs(state.token, before, update), isEnded])
      if (outcome === 'fenced') dispatch({ kind: 'fenced' })
      else if (outcome === 'failed') dispatch({ kind: 'publishFailed', at: now() })
      if (outcome !== 'ok') return false
      dispatch({ kind: 'published' })
      await prepare(update)
      // The reader may already have applied it from the stream.
      if (window() === before) apply(update)
      reader.markShared(update.added.at(-1)?.hash)
      return true
    },
    /** Resolves when this replica has a role, or has waited long enough for Redis. */
    async start(): Promise<void> {
      loops ??= Promise.all([heartbeats(), reader.run()])
      await started
    },
    async stop(): Promise<void> {
      life.stopped = true
      await releaseLease()
      reader.stop()
      await loops
      // The last heartbeat may have got it again.
      await releaseLease()
    },
  }
}

export declare namespace createReplication {
  type Options = {
    link: RedisLink
    /** Hash of block 0, which identifies the chain of the keys in Redis. */
    genesis: Hash
    own: OwnWindow
    source: HeadSource
    /** Whether this replica reaches its node; if not, since when. */
    upstream: () => Pick<UpstreamState, 'downSince' | 'state'>
    /** Called after the role changed. */
    onRole: () => void
    log: HeadLog
    now: () => number
  }
}

const OTHER_CHAIN = 'the Redis keys belong to another chain: set another --redis-prefix'

function links(window: Window | undefined, update: ChainUpdate): boolean {
  try {
    applyUpdate(window, update)
    return true
  } catch {
    return false
  }
}

function oldestOf({ blocks, solidified }: Window): number {
  return oldestKept(solidified.number, blocks.at(-1)?.number ?? 0)
}
