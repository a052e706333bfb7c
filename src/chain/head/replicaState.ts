import type { ReplicaRole } from '../headTypes.ts'

/** Milliseconds without a usable Redis after which a replica polls the node for itself. */
export const STANDALONE_AFTER = 1_500

/** Milliseconds for which a leader may fail to reach its node before it yields leadership. */
export const YIELD_GRACE = 5_000

/** Milliseconds for which a replica that yielded leaves the lease to the others. */
export const YIELD_PAUSE = 1_500

/** The state of a replica. Only `transition` leads from one state to the next. */
export type ReplicaState =
  /** Redis has not been reached, or stopped working, at `since`. Nothing is polled or published yet. */
  | { kind: 'connecting'; since: number }
  /** Another replica leads: its updates are applied here. */
  | { kind: 'following' }
  /** Polls the node for all. The lease is proven by `token`. `failingSince`: updates cannot be published since then. */
  | { kind: 'leading'; token: string; failingSince?: number }
  /** Gave up the lease because its node is unreachable. Does not ask for it before `until`. */
  | { kind: 'yielding'; until: number }
  /** Cannot join the other replicas: polls its node alone until it can. */
  | { kind: 'detached' }
  /** The keys in Redis belong to another chain: polls its node alone until it is restarted. */
  | { kind: 'excluded' }

/** An event of a replica. Times are milliseconds. */
export type ReplicaEvent =
  | { kind: 'leaseGranted'; token: string }
  /** Another replica holds the lease, or this one did not ask for it. */
  | { kind: 'leaseDenied' }
  /** Redis refused an update because another replica leads. */
  | { kind: 'fenced' }
  | { kind: 'published' }
  | { kind: 'publishFailed'; at: number }
  | { kind: 'redisFailed'; at: number }
  /** The node did not give blocks that the other replicas have, so their window cannot be taken over. */
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
      return redisFailed(state, event.at)
    case 'windowMissing':
      return state.kind === 'connecting' ? redisFailed(state, event.at) : state
    case 'upstreamUnreachable':
      break
  }
  return state.kind === 'leading' && event.at - event.since > YIELD_GRACE
    ? { kind: 'yielding', until: event.at + YIELD_PAUSE }
    : state
}

/** The role that a state means to operators and to the parts that ask who polls the node. */
export function roleOf({ kind }: ReplicaState): ReplicaRole {
  if (kind === 'leading') return 'leader'
  return kind === 'detached' || kind === 'excluded' ? 'standalone' : 'follower'
}

/** Whether a replica asks for the lease now. One whose node is unreachable leaves it to the others. */
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

function redisFailed(state: ReplicaState, at: number): ReplicaState {
  if (state.kind === 'detached') return state
  if (state.kind !== 'connecting')
    return { kind: 'connecting', since: (state.kind === 'leading' && state.failingSince) || at }
  return at - state.since >= STANDALONE_AFTER ? { kind: 'detached' } : state
}
