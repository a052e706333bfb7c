import type { RedisLink } from '../../lib/redis.ts'
import { COUNT, DISCOUNT, RESERVE } from './redisScripts.ts'
import {
  createFullness,
  type FilterLimit,
  type FilterLimits,
  type FilterUsage,
  overLimit,
} from './store.ts'

/** Milliseconds between two reports of the filters that were used. */
const REPORT = 2_000

/** Milliseconds by which a count outlives its filter if the process that has polled it dies before its next report. */
const SPARE = 2 * REPORT

/** Filters of one call, which bounds the time that Redis needs for it. */
const BATCH = 500

/**
 * How many filters each client has, and their bytes: in Redis, apart from the filters. A count outlives its filter by some
 * seconds, so clients cannot exceed their limits by polling at certain times.
 */
export function createRedisCounts({ link, name, ownerOf, ...limits }: createRedisCounts.Options) {
  const { bytesPerClient, bytesTotal, total, ttl } = limits
  const reserve = link.script(RESERVE)
  const count = link.script(COUNT)
  const discount = link.script(DISCOUNT)
  const lists = ['', ':owners', ':usage'].map((part) => link.key(`${name}s${part}`))
  // The lists expire later than the filters in them, but every key expires.
  const lifetimes = [ttl + SPARE, 4 * ttl + SPARE]
  const fullness = createFullness(limits)
  let usage = { filters: 0, bytes: 0 }
  /** Filters that were used since the last report. */
  let used = new Set<string>()
  let timer: NodeJS.Timeout | undefined

  /** Stores the usage that a script has returned. */
  function note(answer: unknown): 'ok' | 'again' | FilterLimit {
    const [outcome, filters, bytes] = answer as [
      'ok' | 'again' | FilterLimit,
      number,
      string | null,
    ]
    usage = { filters, bytes: Number(bytes ?? 0) }
    return outcome
  }

  async function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const reported = [...used]
    used = new Set()
    for (let start = 0; start < reported.length; start += BATCH) {
      const answer = await count(lists, [...lifetimes, ...reported.slice(start, start + BATCH)])
      note(answer)
      for (const id of (answer as [...unknown[], string[]]).at(-1) as string[]) await recount(id)
    }
  }

  /** Counts a filter whose count Redis has lost. One that was removed meanwhile has no owner. */
  async function recount(id: string): Promise<void> {
    const owner = await ownerOf(id)
    if (owner === undefined) return
    const bounds = Array.from({ length: 4 }, () => Number.MAX_SAFE_INTEGER)
    await add(id, owner, bounds)
  }

  /** Counts a filter, or returns the limit that forbids it. */
  async function add(id: string, owner: string, bounds: number[]): Promise<'ok' | FilterLimit> {
    for (;;) {
      const outcome = note(await reserve(lists, [id, owner, ...lifetimes, ...bounds]))
      // Many filters had expired at once: they are dropped in portions.
      if (outcome !== 'again') return outcome
    }
  }

  return {
    /** Counts a filter before it is created. @param owner - `<bytes> <client>` @throws LimitExceededError, StoreUnavailableError */
    async reserve(id: string, owner: string, most: number): Promise<void> {
      const outcome = await add(id, owner, [total, most, bytesTotal, bytesPerClient])
      if (outcome === 'ok') return
      if (outcome === 'total' || outcome === 'bytesTotal') fullness.refuse(usage)
      throw overLimit(outcome, { ...limits, perClient: most })
    },
    /** A filter was used: it counts as long as it lives. Redis is told later, about many at once. */
    use(id: string): void {
      used.add(id)
      // If Redis cannot be used, the next poll of a filter reports it.
      timer ??= setTimeout(() => void flush().catch(() => undefined), REPORT).unref()
    },
    /** A filter does not exist any more. Never throws: its count expires if Redis cannot be used. */
    async remove(id: string): Promise<void> {
      used.delete(id)
      await discount(lists, [id]).then(note, () => undefined)
    },
    /** Tells Redis now which filters were used. @throws StoreUnavailableError */
    flush,
    /** The use that this process has last seen. */
    usage: (): FilterUsage => ({ ...usage, isFull: fullness.isFull(usage) }),
  }
}

export declare namespace createRedisCounts {
  type Options = FilterLimits & {
    link: RedisLink
    name: string
    /** The owner that a filter has in Redis. */
    ownerOf: (id: string) => Promise<string | undefined>
  }
}
