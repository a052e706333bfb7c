import { RpcError } from '../lib/errors.ts'
import { burstOf, DAY_MS, type Limits } from './caller.ts'

/** The limits that an error can name. `load`: the gateway is busy and refuses expensive calls first. */
export type LimitName = 'concurrency' | 'daily' | 'load' | 'rate' | 'sockets'

/** The code of a call that may be tried again soon. */
const LIMIT_EXCEEDED = -32005

/** The code of a used up daily quota. viem repeats -32005 whatever the HTTP status is. */
const QUOTA_EXCEEDED = -32029

/**
 * `-32005`: the caller has reached a limit. `-32029`: its daily quota is used up. Over HTTP a single call gets the status
 * 429, or 402 for the daily quota, because viem waits for any Retry-After and repeats 403 and 429, but not 402.
 */
export class LimitReachedError extends RpcError {
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
    const message = isDaily ? USED_UP : `${MESSAGES[limit]}, try again in ${secondsOf(ms)} s`
    super(isDaily ? QUOTA_EXCEEDED : LIMIT_EXCEEDED, message, {
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

const USED_UP = 'the daily quota is used up'

const MESSAGES: Record<Exclude<LimitName, 'daily'>, string> = {
  concurrency: 'too many calls in flight',
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

/** `-32029`: an API key may not spend as much today. Amounts are sun, in `data` as decimal text. */
export class SpendingLimitError extends RpcError {
  override name = 'SpendingLimitError'

  constructor(key: string, { amount, limit, now, spent }: SpendingLimitError.Options) {
    super(
      QUOTA_EXCEEDED,
      `the API key ${key} may spend ${limit} sun a day: it has spent ${spent}, and this transaction may cost ${amount} (value, fee limit and fees)`,
      {
        data: {
          limit: 'spend',
          scope: 'key',
          amount: String(amount),
          left: String(limit - spent),
          resetAt: new Date((Math.floor(now / DAY_MS) + 1) * DAY_MS).toISOString(),
        },
      },
    )
  }
}

export declare namespace SpendingLimitError {
  type Options = {
    amount: bigint
    limit: number
    /** Milliseconds since 1970. */
    now: number
    spent: number
  }
}

/** HTTP status of a call that was not allowed to run, for a request with one call. */
export function statusOf(error: RpcError): 200 | 401 | 402 | 429 {
  if (error instanceof UnauthorizedError) return 401
  if (!(error instanceof LimitReachedError)) return 200
  return error.limit === 'daily' ? 402 : 429
}

/** Longest wait, seconds, that a client is asked for: viem sleeps for any Retry-After. */
const MAX_RETRY_AFTER = 30

/**
 * The headers of a refusal: `Retry-After`, and `RateLimit-Policy` and `RateLimit` of draft-ietf-httpapi-ratelimit-headers,
 * by name.
 */
export function refusalHeaders(error: RpcError, limits: Limits): Record<string, string> {
  if (error instanceof UnauthorizedError) return { 'www-authenticate': 'Bearer' }
  if (!(error instanceof LimitReachedError)) return {}
  const { limit, retryAfterMs } = error
  const wait = Math.min(MAX_RETRY_AFTER, secondsOf(retryAfterMs))
  return {
    ...(limit !== 'daily' && { 'retry-after': String(wait) }),
    'access-control-expose-headers': 'Retry-After, RateLimit, RateLimit-Policy',
    ...rateLimitHeaders(limits, { limit, remaining: 0, resetMs: retryAfterMs }),
  }
}

/** `RateLimit-Policy` and `RateLimit`. @param state - whole units that are left, and milliseconds until there are more */
export function rateLimitHeaders(
  limits: Limits,
  { limit, remaining, resetMs }: { limit: LimitName; remaining: number; resetMs: number },
): Record<string, string> {
  const policies = [
    ...(limits.rate === undefined
      ? []
      : [`"rate";q=${burstOf(limits)};w=${Math.ceil(burstOf(limits) / limits.rate)}`]),
    ...(limits.daily === undefined ? [] : [`"daily";q=${limits.daily};w=${DAY_MS / 1_000}`]),
  ]
  if (policies.length === 0) return {}
  const left = Math.max(0, Math.floor(remaining))
  return {
    'ratelimit-policy': policies.join(', '),
    ratelimit: `"${limit}";r=${left};t=${secondsOf(resetMs)}`,
  }
}

function secondsOf(milliseconds: number): number {
  return Math.ceil(milliseconds / 1_000)
}
