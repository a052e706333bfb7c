/** A rate limit: `rate` calls a second, with a tenth of a second's worth in one burst. */
export type TokenBucket = ReturnType<typeof createTokenBucket>

/** A rate that was cut grows back by this part of itself in a second. */
const RECOVERY = 0.1

/** The rate is never cut below this part. */
const LEAST = 0.02

export function createTokenBucket({
  now = () => performance.now(),
  rate: whole,
  share = () => 1,
}: createTokenBucket.Options) {
  let rate = whole * share()
  let tokens = Math.max(1, rate / 10)
  let factor = 1
  let at = now()
  let second = { since: at, count: 0, last: 0 }

  function refill(): void {
    const time = now()
    const seconds = Math.max(0, time - at) / 1000
    at = time
    rate = whole * share()
    tokens = Math.min(Math.max(1, rate / 10), tokens + rate * factor * seconds)
    factor = Math.min(1, factor + factor * RECOVERY * seconds)
    if (time - second.since >= 1000) {
      const elapsed = (time - second.since) / 1000
      second = { since: time, count: 0, last: second.count / elapsed }
    }
  }

  return {
    /** Milliseconds until a call is allowed; 0 for now. Does not consume a token. */
    wait() {
      refill()
      return tokens >= 1 ? 0 : Math.ceil(((1 - tokens) / (rate * factor)) * 1000)
    },
    take() {
      tokens -= 1
      second.count++
    },
    /** Reduces the rate for a while after a rate-limit answer of the node. It recovers automatically. */
    slowDown() {
      refill()
      factor = Math.max(LEAST, factor / 2)
      tokens = Math.min(tokens, 0)
    },
    /** Part of the rate that the last second used, from 0 to 1. */
    used() {
      refill()
      return Math.min(1, Math.max(second.last, second.count) / rate)
    },
  }
}

export declare namespace createTokenBucket {
  type Options = {
    /** Calls a second. */
    rate: number
    /** Part of the rate that may be used now, above 0 and at most 1; it may change. @default 1 */
    share?: (() => number) | undefined
    /** Milliseconds. @default performance.now */
    now?: () => number
  }
}
