import type { Member } from './member.ts'

/** The state of a node, and why. */
export type MemberState = {
  state:
    | 'starting'
    | 'healthy'
    | 'recovering'
    | 'lagging'
    | 'syncing'
    | 'failing'
    | 'wrong chain'
    | 'other branch'
    | 'out of quota'
  /** The reason, as readable text; undefined while it is healthy. */
  reason: string | undefined
}

/** The state of a node as the end of a sentence: `upstream a is on another branch`. */
export function stateInWords(state: MemberState['state']): string {
  if (state === 'wrong chain') return 'on the wrong chain'
  return state === 'other branch' ? 'on another branch' : state
}

/** Blocks behind the highest node from which on a node lags. */
const LAG = 3

/** A head that is older than this many milliseconds and rises is that of a node that syncs. */
const OLD_HEAD = 60_000

/** Milliseconds after a rate-limit answer for which a node counts as out of quota. */
const QUOTA_FOR = 2_000

/** The state of a node, compared with the others. */
export function stateOf(
  { breaker, counts, known }: Member,
  { genesis, head, now, wallTime }: stateOf.Options,
): MemberState {
  if (known.genesis !== undefined && genesis !== undefined && known.genesis !== genesis)
    return {
      state: 'wrong chain',
      reason: `its chain id is 0x${known.genesis.slice(-8)}, not 0x${genesis.slice(-8)}: it gets no calls`,
    }
  const broken = breaker.state()
  const why = breaker.reason() ?? 'it has not been reached yet'
  if (broken === 'open') return { state: 'failing', reason: why }
  if (known.genesis === undefined)
    return { state: 'starting', reason: 'it has not been reached yet' }
  if (known.onBranch === false)
    return {
      state: 'other branch',
      reason: 'it does not have the block that most nodes report as solidified',
    }
  const behind = head - (known.head?.number ?? 0)
  const age = wallTime - (known.head?.timestamp ?? wallTime)
  if (behind >= LAG && known.rising && age > OLD_HEAD)
    return { state: 'syncing', reason: `it is ${behind} blocks behind and catching up` }
  if (behind >= LAG) return { state: 'lagging', reason: `it is ${behind} blocks behind` }
  const { lastBusy } = counts()
  if (lastBusy !== undefined && now - lastBusy < QUOTA_FOR)
    return { state: 'out of quota', reason: 'it limits the request rate' }
  if (broken === 'recovering')
    return {
      state: 'recovering',
      reason: `it answers again and gets ${Math.round(breaker.share() * 100)} % of its share; before: ${why}`,
    }
  return { state: 'healthy', reason: undefined }
}

export declare namespace stateOf {
  type Options = {
    /** The chain that is served. */
    genesis: string | undefined
    /** Highest block that any node has. */
    head: number
    /** Monotonic milliseconds, as the member's. */
    now: number
    /** Milliseconds since 1970, to compare with block times. */
    wallTime: number
  }
}
