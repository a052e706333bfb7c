import { LimitExceededError, RpcError } from '../errors.ts'

/** The limits of one caller. An absent one does not apply. Costs are in units: one unit is one ordinary call to a node. */
export type Limits = {
  /** Units a second, in the long run. */
  readonly rate?: number | undefined
  /** Units at once. @default 10 seconds of `rate` */
  readonly burst?: number | undefined
  /** Units a day, from midnight UTC. */
  readonly daily?: number | undefined
  /** Calls in flight, in each replica. */
  readonly concurrency?: number | undefined
  /** WebSocket connections, in each replica. */
  readonly sockets?: number | undefined
  /** Subscriptions, in each replica. */
  readonly subscriptions?: number | undefined
  /** Filters, in all replicas. */
  readonly filters?: number | undefined
  /** Share of the time and of the nodes when several callers wait. @default 1 */
  readonly weight?: number | undefined
}

/** The limits that an error can name. `load`: the gateway is busy and refuses expensive calls first. */
export type LimitName = 'concurrency' | 'daily' | 'load' | 'rate' | 'sockets'

/** Milliseconds since midnight UTC after which the daily quota begins again. */
export const DAY_MS = 86_400_000

/**
 * `-32005`: the caller has reached a limit. Over HTTP a single call gets the status 429, or 402 for the daily quota: viem
 * waits for any Retry-After and repeats 403 and 429, but not 402.
 */
export class LimitReachedError extends LimitExceededError {
  override name = 'LimitReachedError'
  readonly limit: LimitName
  readonly retryAfterMs: number

  constructor(
    limit: LimitName,
    scope: string,
    { now = Date.now, retryAfterMs }: LimitReachedError.Options,
  ) {
    const isDaily = limit === 'daily'
    const ms = Math.max(1, Math.ceil(retryAfterMs))
    super(isDaily ? MESSAGES.daily : `${MESSAGES[limit]}, try again in ${secondsOf(ms)} s`, {
      data: {
        limit,
        scope,
        ...(isDaily ? { resetAt: new Date(now() + ms).toISOString() } : { retryAfterMs: ms }),
      },
    })
    this.limit = limit
    this.retryAfterMs = ms
  }
}

export declare namespace LimitReachedError {
  type Options = {
    /** Milliseconds since 1970. @default Date.now */
    now?: () => number
    retryAfterMs: number
  }
}

const MESSAGES: Record<LimitName, string> = {
  concurrency: 'too many calls in flight',
  daily: 'the daily quota is used up',
  load: 'the gateway is busy and refuses expensive calls',
  rate: 'too many requests',
  sockets: 'too many WebSocket connections',
}

/** `4100`: an API key is unknown, expired, or may not be used for this. EIP-1193: Unauthorized. Clients do not retry. */
export class UnauthorizedError extends RpcError {
  override name = 'UnauthorizedError'

  constructor(reason: string) {
    super(4100, reason)
  }
}

/** HTTP status of a refusal, for a request with one call. */
export function statusOf(error: LimitReachedError | UnauthorizedError): 401 | 402 | 429 {
  if (error instanceof UnauthorizedError) return 401
  return error.limit === 'daily' ? 402 : 429
}

/** Longest wait, seconds, that a client is asked for: viem sleeps for any Retry-After. */
const MAX_RETRY_AFTER = 30

/**
 * The headers of a refusal: `Retry-After`, and `RateLimit-Policy` and `RateLimit` of draft-ietf-httpapi-ratelimit-headers,
 * a name and a value in turn.
 */
export function refusalHeaders(
  error: LimitReachedError | UnauthorizedError,
  limits: Limits,
): string[] {
  if (error instanceof UnauthorizedError) return ['www-authenticate', 'Bearer']
  const { limit, retryAfterMs } = error
  const wait = Math.min(MAX_RETRY_AFTER, secondsOf(retryAfterMs))
  return [
    ...(limit === 'daily' ? [] : ['retry-after', String(wait)]),
    ...rateLimitHeaders(limits, { limit, remaining: 0, resetMs: retryAfterMs }),
  ]
}

/** `RateLimit-Policy` and `RateLimit`. @param state - whole units that are left, and milliseconds until there are more */
export function rateLimitHeaders(
  limits: Limits,
  { limit, remaining, resetMs }: { limit: LimitName; remaining: number; resetMs: number },
): string[] {
  const policies = [
    ...(limits.rate === undefined
      ? []
      : [`"rate";q=${burstOf(limits)};w=${Math.ceil(burstOf(limits) / limits.rate)}`]),
    ...(limits.daily === undefined ? [] : [`"daily";q=${limits.daily};w=${DAY_MS / 1_000}`]),
  ]
  if (policies.length === 0) return []
  const left = Math.max(0, Math.floor(remaining))
  return [
    'ratelimit-policy',
    policies.join(', '),
    'ratelimit',
    `"${limit}";r=${left};t=${secondsOf(resetMs)}`,
  ]
}

/** Units that a caller may use at once. */
export function burstOf({ burst, rate = 0 }: Limits): number {
  return burst ?? rate * 10
}

function secondsOf(milliseconds: number): number {
  return Math.ceil(milliseconds / 1_000)
}
