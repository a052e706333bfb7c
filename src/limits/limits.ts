import type { Meter } from '../lib/call.ts'
import type { RpcError } from '../lib/errors.ts'
import type { RedisLink } from '../lib/redis.ts'
import { burstOf, type Caller, isUnlimited, type Limits } from './caller.ts'
import { type CallerRequest, createCallers } from './callers.ts'
import { createLimiter } from './limiter.ts'
import { requirePermission, type TargetOf } from './policy.ts'
import { answerPrice, isExpensive, LARGEST_MINIMUM, minimumPrice } from './prices.ts'
import { LimitReachedError, rateLimitHeaders } from './refusal.ts'
import { createSharedLimitStore, type WithoutRedis } from './sharedStore.ts'
import type { SpendingStore } from './spending.ts'
import { createMemoryLimitStore } from './store.ts'
import type { Usage } from './usage.ts'

/** Who may call, what calls cost, and who has used up its limits. */
export type CallLimits = ReturnType<typeof createCallLimits>

type Entered = RpcError | undefined

/** What `ethgate_limits` answers. Units have up to three decimals, times are milliseconds. */
export type LimitState = {
  caller: string
  scope: Caller['scope']
  limits: Limits
  /** Units that may be used now; below zero they are debt. Null without a limit. */
  remaining: number | null
  /** The limit that will be reached first. */
  limit: 'daily' | 'rate' | null
  /** Milliseconds until the whole burst is available again. */
  refilledInMs: number
  inFlight: number
}

/** Creates the limits of a gateway. @throws ConfigError when the API keys file is not valid */
export function createCallLimits({
  anonymous,
  apiKeys,
  isBusy,
  limits,
  link,
  log,
  onRefused,
  spending,
  targetOf,
  usage,
  withoutRedis,
}: createCallLimits.Options) {
  const callers = createCallers({
    anonymous,
    file: apiKeys,
    limits: wholeLimits(limits),
    log,
    spending,
  })
  const shared =
    link &&
    createSharedLimitStore({
      link,
      withoutRedis,
      onChange: (isShared) =>
        isShared
          ? log.info({}, 'limits are counted in Redis again')
          : log.warn(
              { mode: withoutRedis },
              'limits are not counted in Redis, which does not answer',
            ),
    })
  const limiter = createLimiter({ store: shared ?? createMemoryLimitStore() })
  /** Calls in flight of callers that have such a limit, by id. */
  const inFlight = new Map<string, { calls: number }>()

  function refuse(caller: Caller, error: LimitReachedError): LimitReachedError {
    onRefused(error.limit, caller.scope)
    return error
  }

  /** Counts a call as in flight, after its units were taken. */
  function occupy(caller: Caller, units: number, refused: LimitReachedError | undefined): Entered {
    if (refused) return refuse(caller, refused)
    const { concurrency } = caller.limits
    if (concurrency === undefined) return undefined
    let running = inFlight.get(caller.id)
    if (!running) inFlight.set(caller.id, (running = { calls: 0 }))
    if (running.calls < concurrency) {
      running.calls += 1
      return undefined
    }
    limiter.charge(caller, -units)
    return refuse(
      caller,
      new LimitReachedError('concurrency', caller.scope, { retryAfterMs: SOON_MS }),
    )
  }

  async function stateOf(caller: Caller): Promise<LimitState> {
    const { id, limits: own, scope } = caller
    const grant = isUnlimited(own) ? undefined : await limiter.state(caller)
    const missing = Math.max(0, burstOf(own) - (grant?.remaining ?? Infinity))
    return {
      caller: id,
      scope,
      limits: own,
      remaining: grant ? rounded(grant.remaining) : null,
      limit: grant?.limit ?? null,
      refilledInMs: own.rate === undefined ? 0 : Math.ceil((missing / own.rate) * 1_000),
      inFlight: inFlight.get(id)?.calls ?? 0,
    }
  }

  return {
    /** Who makes a request. @throws UnauthorizedError */
    callerOf: (request: CallerRequest) => callers.of(request),
    /** Starts a call. Undefined when it may run, otherwise the error that refuses it; a promise when the store is asked. */
    enter(caller: Caller, method: string, params: unknown) {
      const { key, refused, scope } = caller
      if (scope === 'process') return undefined
      if (refused) return refused
      if (key && (key.methods || key.contracts))
        try {
          requirePermission(key, method, params, targetOf)
        } catch (error) {
          return error as RpcError
        }
      const units = minimumPrice(method)
      if (isExpensive(units) && isBusy())
        return refuse(caller, new LimitReachedError('load', scope, { retryAfterMs: SOON_MS }))
      const taken = limiter.take(caller, units)
      return taken instanceof Promise
        ? taken.then(
            (refused) => occupy(caller, units, refused),
            (error: unknown) => error as RpcError,
          )
        : occupy(caller, units, taken)
    },
    /** Ends a call that was allowed to run. @param bytes - of its answer */
    leave(caller: Caller, method: string, meter: Meter, bytes: number) {
      const cost = answerPrice(bytes) + meter.cost
      meter.cost = 0
      meter.charged += cost
      if (caller.scope === 'process') return
      limiter.charge(caller, cost - minimumPrice(method))
      if (caller.limits.concurrency !== undefined) {
        const running = inFlight.get(caller.id)
        if (running) running.calls -= 1
        // Deleting and adding one for each call would take longer than the rest of the limits.
        if (running?.calls === 0 && inFlight.size > KEPT_IDLE) inFlight.delete(caller.id)
      }
      if (caller.key) usage?.add(caller.key.name, method, cost)
    },
    /** Charges work that no call asked for, such as a notification. It may become debt. */
    charge: (caller: Caller, units: number) => limiter.charge(caller, units),
    /** Whether a caller has used up its limits, so that any call of it would be refused now. */
    isOver: (caller: Caller) => limiter.refusal(caller) !== undefined,
    /** The refusal of any call, before the request is read. Undefined when a call might be allowed. */
    refusal(caller: Caller) {
      const error = limiter.refusal(caller)
      return error && refuse(caller, error)
    },
    /** `RateLimit-Policy` and `RateLimit` of a caller; none while they cannot be read. */
    async headers(caller: Caller) {
      // Without Redis the answer is sent without these headers.
      const { limit, refilledInMs, remaining } = await stateOf(caller).catch(() => UNKNOWN)
      if (limit === null || remaining === null) return {}
      return rateLimitHeaders(caller.limits, { limit, remaining, resetMs: refilledInMs })
    },
    /** What is left to a caller. */
    state: stateOf,
    /** Whether units are counted in Redis now; undefined without Redis. */
    isShared: () => shared?.isShared(),
    /** The caller of an earlier request as it is now; with `refused` if it could not make that request any more. */
    again: (caller: Caller, request: CallerRequest) => callers.again(caller, request),
    /** Reads the API keys again. */
    reload: () => callers.reload(),
    async stop() {
      callers.stop()
      shared?.stop()
      await limiter.stop()
      await usage?.stop()
      await spending?.close()
    },
  }
}

export declare namespace createCallLimits {
  type Options = {
    /** Whether callers without a key are served. */
    anonymous: boolean
    /** The API keys file. */
    apiKeys: string | undefined
    /** Whether the gateway has too much work for expensive calls. */
    isBusy: () => boolean
    /** Of each caller without a key. */
    limits: Limits
    /** The Redis that replicas share. @default this process alone */
    link: Pick<RedisLink, 'key' | 'onStatus' | 'script' | 'status'> | undefined
    log: createCallers.Options['log'] & { warn(fields: object, message: string): void }
    /** Called for each refused call. */
    onRefused: (limit: string, scope: Caller['scope']) => void
    /** Counts what API keys spend from managed accounts. Absent when nothing is kept. */
    spending?: SpendingStore | undefined
    targetOf: TargetOf
    /** Records the calls of API keys. */
    usage?: Usage | undefined
    withoutRedis: WithoutRedis
  }
}

/** A burst that every call fits into. */
function wholeLimits(limits: Limits): Limits {
  if (limits.rate === undefined) return limits
  return { ...limits, burst: limits.burst ?? Math.max(LARGEST_MINIMUM, burstOf(limits)) }
}

/** The parts of a state that headers show, while it cannot be read. */
const UNKNOWN: Pick<LimitState, 'limit' | 'refilledInMs' | 'remaining'> = {
  limit: null,
  refilledInMs: 0,
  remaining: null,
}

/** Idle callers whose number of calls is kept. */
const KEPT_IDLE = 1_000

/** Milliseconds after which a client may repeat a call that had no free place. */
const SOON_MS = 1_000

function rounded(units: number): number {
  return Math.round(units * 1_000) / 1_000
}
