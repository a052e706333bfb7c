import type { ReplicaRole } from './headTypes.ts'

/** Milliseconds after the last answer of Redis when a replica polls its node itself. */
export const STANDALONE_AFTER = 1_500

/** The grace period in milliseconds: a leader whose node is unreachable for longer yields leadership. */
export const YIELD_GRACE = 5_000

/** Milliseconds in which a replica that yielded leadership does not request the lease. */
export const YIELD_PAUSE = 1_500

/** The state of a replica. Only `transition` leads from one state to the next. */
export type ReplicaState =
  /** Redis is not reached yet, or has not answered after `since`. The replica neither polls nor publishes. */
  | { kind: 'connecting'; since: number }
  /** Another replica leads. This one applies its updates. */
  | { kind: 'following' }
  /** Polls the node for all replicas. `token` proves the lease. `failingSince`: since when it cannot publish. */
  | { kind: 'leading'; token: string; failingSince?: number }
  /** Gave up the lease because its node is unreachable. Does not request it before `until`. */
  | { kind: 'yielding'; until: number }
  /** Cannot join the other replicas. Polls its node itself until it can. */
  | { kind: 'detached' }
  /** The keys in Redis belong to another chain. Polls its node itself until the process restarts. */
  | { kind: 'excluded' }

/** An event of a replica. Times are milliseconds. */
export type ReplicaEvent =
  | { kind: 'leaseGranted'; token: string }
  /** Another replica holds the lease, or this one did not request it. */
  | { kind: 'leaseDenied' }
  /** Redis refused an update because another replica leads. */
  | { kind: 'fenced' }
  | { kind: 'published' }
  | { kind: 'publishFailed'; at: number }
  /** Redis failed or did not answer. Its last answer came at `since`. */
  | { kind: 'redisFailed'; at: number; since: number }
  /** The node did not return blocks that the other replicas have, so this replica cannot load their window. */
  | { kind: 'windowMissing'; at: number }
  | { kind: 'otherChain' }
  | { kind: 'upstreamUnreachable'; at: number; since: number }

/** The state after an event. Pure: the caller runs the effects of the new state. */
export function transition(state: ReplicaState, event: ReplicaEvent): ReplicaState {
  if (state.kind === 'excluded') return state
  switch (event.kind) {
    case 'otherChain':
      return { kind: 'excluded' }
    case 'leaseGranted':
      return state.kind === 'leading' && state.token === event.token
        ? state
        : { kind: 'leading', token: event.token }
    case 'leaseDenied':
      return state.kind === 'following' || state.kind === 'yielding' ? state : { kind: 'following' }
    case 'fenced':
      return state.kind === 'leading' ? { kind: 'following' } : state
    case 'published':
      return state.kind === 'leading' && state.failingSince !== undefined
        ? { kind: 'leading', token: state.token }
        : state
    case 'publishFailed':
      return publishFailed(state, event.at)
    case 'redisFailed':
      return redisFailed(state, event)
    case 'windowMissing':
      return state.kind === 'connecting'
        ? redisFailed(state, { at: event.at, since: state.since })
        : state
    case 'upstreamUnreachable':
      break
  }
  return state.kind === 'leading' && event.at - event.since > YIELD_GRACE
    ? { kind: 'yielding', until: event.at + YIELD_PAUSE }
    : state
}

/** The role of a state, for operators and for code that depends on who polls the node. */
export function roleOf({ kind }: ReplicaState): ReplicaRole {
  if (kind === 'leading') return 'leader'
  return kind === 'detached' || kind === 'excluded' ? 'standalone' : 'follower'
}

/** Whether a replica requests the lease now. A replica whose node is unreachable does not. */
export function wantsLease(
  state: ReplicaState,
  { at, isUpstreamDown }: { at: number; isUpstreamDown: boolean },
): boolean {
  if (state.kind === 'leading') return true
  return !isUpstreamDown && !(state.kind === 'yielding' && at < state.until)
}

function publishFailed(state: ReplicaState, at: number): ReplicaState {
  if (state.kind !== 'leading') return state
  const failingSince = state.failingSince ?? at
  return at - failingSince >= STANDALONE_AFTER ? { kind: 'detached' } : { ...state, failingSince }
}

function redisFailed(
  state: ReplicaState,
  { at, since }: { at: number; since: number },
): ReplicaState {
  if (state.kind === 'detached') return state
  const first = Math.min(since, sinceOf(state) ?? since)
  if (at - first >= STANDALONE_AFTER) return { kind: 'detached' }
  return state.kind === 'connecting' ? state : { kind: 'connecting', since: first }
}

function sinceOf(state: ReplicaState): number | undefined {
  if (state.kind === 'connecting') return state.since
  return state.kind === 'leading' ? state.failingSince : undefined
}
