import { burstOf, type Caller, isUnlimited, type Limits } from './caller.ts'
import { BASE_PRICE } from './prices.ts'
import { LimitReachedError } from './refusal.ts'
import { type Grant, type LimitStore, ROUNDING } from './store.ts'

type Outcome = LimitReachedError | undefined

/** The lease of one caller in this process. */
type Account = {
  caller: Caller
  /** Units of one lease, by the limits of the caller. */
  lease: number
  /** Units that the store granted and that are not used yet; below zero they are debt. */
  balance: number
  /** Units that callers wait for. */
  wanted: number
  /** The request for the next lease, while it is in flight. */
  refill: Promise<void> | undefined
  /** The last refusal of the store: calls that need as many units are refused until then. */
  refused: { grant: Grant; units: number; until: number } | undefined
  isIdle: boolean
}

/** Spends the units of callers, over a store. A call that its caller’s lease of units covers does not wait. */
export function createLimiter({
  now = () => performance.now(),
  returnAfter = 1_000,
  store,
}: createLimiter.Options) {
  const accounts = new Map<string, Account>()

  function accountOf(caller: Caller): Account {
    let account = accounts.get(caller.id)
    if (!account) {
      account = {
        caller,
        lease: leaseOf(caller.limits),
        balance: 0,
        wanted: 0,
        refill: undefined,
        refused: undefined,
        isIdle: false,
      }
      accounts.set(caller.id, account)
    }
    account.isIdle = false
    if (account.caller.limits !== caller.limits) account.lease = leaseOf(caller.limits)
    account.caller = caller
    return account
  }

  function settle(account: Account, units: number, debt: number, grant: Grant) {
    account.balance += debt + grant.granted
    account.refused =
      grant.retryAfterMs > 0 ? { grant, units, until: now() + grant.retryAfterMs } : undefined
  }

  /** Pays the debt and takes a lease. One request at a time, for all calls that wait. */
  function refill(account: Account, units: number): void | Promise<void> {
    if (account.refill) return account.refill
    const { caller } = account
    const debt = Math.max(0, -account.balance)
    const need = Math.max(0, units - Math.max(0, account.balance))
    const want = need + account.wanted + account.lease
    const grant = store.take(caller.id, caller.limits, { debt, need, want })
    if (!(grant instanceof Promise)) return settle(account, units, debt, grant)
    account.refill = grant
      .then((granted) => settle(account, units, debt, granted))
      .finally(() => {
        account.refill = undefined
      })
    return account.refill
  }

  function refusalOf(account: Account, units: number): Outcome {
    const { caller, refused } = account
    if (!refused || units < refused.units) return undefined
    const retryAfterMs = refused.until - now()
    if (retryAfterMs <= 0) return undefined
    return new LimitReachedError(refused.grant.limit, caller.scope, { retryAfterMs })
  }

  /** Takes units of the lease. False when it has too few. */
  function spend(account: Account, units: number): boolean {
    if (account.balance + ROUNDING < units) return false
    account.balance -= units
    return true
  }

  async function takeLater(account: Account, units: number): Promise<Outcome> {
    account.wanted += units
    try {
      for (;;) {
        await refill(account, units)
        if (spend(account, units)) return undefined
        const refusal = refusalOf(account, units)
        if (refusal) return refusal
      }
    } finally {
      account.wanted -= units
    }
  }

  /** Takes the next lease before the last one is used up, and pays debt immediately. */
  function refillInTime(account: Account): void {
    const { balance, lease, refill: running, refused } = account
    if (running || balance >= lease / 4) return
    if (balance >= 0 && refused && refused.until > now()) return
    const asked = refill(account, 0)
    // After a failure the next call asks again.
    asked?.catch(() => {})
  }

  /** Returns leases of idle callers, so that other replicas can use them. */
  async function returnIdle(): Promise<void> {
    const returned: Promise<unknown>[] = []
    for (const [id, account] of accounts) {
      if (account.refill || account.wanted > 0) continue
      if (!account.isIdle) account.isIdle = true
      else if (!account.refused || account.refused.until <= now()) {
        accounts.delete(id)
        const request = { debt: -account.balance, need: 0, want: 0 }
        if (account.balance !== 0)
          returned.push(
            Promise.resolve(store.take(id, account.caller.limits, request)).catch(() =>
              keep(id, account),
            ),
          )
      }
    }
    await Promise.all(returned)
  }

  /** Keeps the lease or the debt of an idle caller that could not be returned, for the next time. */
  function keep(id: string, account: Account): void {
    const current = accounts.get(id)
    if (current) current.balance += account.balance
    else accounts.set(id, account)
  }

  const timer = setInterval(() => void returnIdle(), returnAfter)
  timer.unref()

  return {
    /**
     * Takes units before a call. Undefined when the caller has them, otherwise the refusal. A promise only when the store is
     * asked: for the first call of a caller, and when its lease is used up.
     */
    take(caller: Caller, units: number) {
      if (isUnlimited(caller.limits)) return undefined
      const account = accountOf(caller)
      if (spend(account, units)) {
        refillInTime(account)
        return undefined
      }
      const refusal = refusalOf(account, units)
      if (refusal) return refusal
      const asked = refill(account, units)
      if (asked) return takeLater(account, units)
      return spend(account, units) ? undefined : refusalOf(account, units)
    },
    /** Charges units after a call, or returns them if negative. The balance may become debt. */
    charge(caller: Caller, units: number) {
      if (units === 0 || isUnlimited(caller.limits)) return
      const account = accountOf(caller)
      account.balance -= units
      if (account.balance < 0) refillInTime(account)
    },
    /** The refusal of every call now, without asking the store. Undefined when a call might be allowed. */
    refusal(caller: Caller) {
      const account = accounts.get(caller.id)
      // A cheaper call may be affordable.
      if (!account?.refused || account.refused.units > BASE_PRICE) return undefined
      return account.balance < BASE_PRICE ? refusalOf(account, BASE_PRICE) : undefined
    },
    /** What is left to a caller: in the store and in its lease. */
    async state(caller: Caller) {
      const grant = await store.take(caller.id, caller.limits, { debt: 0, need: 0, want: 0 })
      return { ...grant, remaining: grant.remaining + (accounts.get(caller.id)?.balance ?? 0) }
    },
    async stop() {
      clearInterval(timer)
      for (const account of accounts.values()) account.isIdle = true
      await returnIdle()
    },
  }
}

export declare namespace createLimiter {
  type Options = {
    /** Monotonic milliseconds. @default performance.now */
    now?: () => number
    /** Milliseconds between two searches for idle callers. @default 1,000 */
    returnAfter?: number
    store: LimitStore
  }
}

/** Units of one lease: a twentieth of a second, at most a tenth of the burst, so that three replicas stay within 5 %. */
function leaseOf(limits: Limits): number {
  const { daily = Infinity, rate } = limits
  const ofRate = rate === undefined ? Infinity : Math.min(rate / 20, burstOf(limits) / 10)
  return Math.min(ofRate, daily / 1_000)
}
