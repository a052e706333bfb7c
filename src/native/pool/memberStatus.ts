import type { GrpcStatus } from '../grpc/status.ts'
import { changesOf } from '../release.ts'
import { clientNameOf } from '../upstream.ts'
import type { Member } from './member.ts'
import type { MemberState } from './memberState.ts'

/** One node as `/health`, the metrics and `doctor` show it. */
export type MemberStatus = MemberState & {
  name: string
  /** Its name for clients. */
  clientName: string
  tier: number
  head: number | null
  solid: number | null
  /** Blocks behind the highest node; null on another chain or branch. */
  lag: number | null
  /** Milliseconds, of the recent calls; null without a call. */
  latency: { p50: number | null; p95: number | null }
  /** Milliseconds of its quickest call of the last minutes; null without one. */
  quickest: number | null
  /** Part of all calls, from 0 to 1. */
  share: number
  /** Part of the allowed rate that is used, from 0 to 1; null without a limit. */
  quota: number | null
  calls: number
  failed: number
  busy: number
  inFlight: number
  queued: number
  /** The release of its program. */
  version: string | null
  /** What changes with this release; null for one that was not tested. */
  changes: string | null
  /** Operations that it does not offer, by the calls of the last minute. */
  lacks: string[]
  /** Its gRPC interface; absent without one. */
  grpc?: GrpcStatus | undefined
}

/** The status of one node. @param total - calls to all nodes, of which `share` is a part. */
export function statusOf(
  member: Member,
  state: MemberState,
  { genesis, head, total }: statusOf.Options,
): MemberStatus {
  const { known, limiter, upstream } = member
  const { busy, calls, failed } = member.counts()
  return {
    name: upstream.name,
    clientName: clientNameOf(upstream),
    tier: upstream.tier,
    ...state,
    head: known.head?.number ?? null,
    solid: known.solid?.number ?? null,
    lag:
      known.head && known.genesis === genesis && known.onBranch !== false
        ? head - known.head.number
        : null,
    latency: {
      p50: round(member.latency(0.5)),
      p95: round(member.latency(0.95)),
    },
    quickest: round(member.quickest()),
    share: total === 0 ? 0 : round(calls / total, 1000),
    quota: round(limiter.used(), 1000),
    calls,
    failed,
    busy,
    inFlight: limiter.inFlight(),
    queued: limiter.queued(),
    ...releaseOf(known.version),
    lacks: member.lacks(),
    grpc: member.grpc(),
  }
}

export declare namespace statusOf {
  type Options = {
    /** Id of block 0 of the chain that is served. */
    genesis: string | undefined
    /** The highest block that a node on the right branch has. */
    head: number
    total: number
  }
}

/** A release and what changes with it. */
export function releaseOf(version: string | undefined): Pick<MemberStatus, 'changes' | 'version'> {
  return { version: version ?? null, changes: changesOf(version) ?? null }
}

/** A number with one decimal, or `digits` of them; null if there is none. @param digits - a power of ten */
export function round(value: number, digits?: number): number
export function round(value: number | undefined, digits?: number): number | null
export function round(value: number | undefined, digits = 10): number | null {
  return value === undefined ? null : Math.round(value * digits) / digits
}
