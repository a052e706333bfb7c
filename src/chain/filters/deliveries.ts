import type { HeadLog } from '../head/headTypes.ts'
import type { FilterStore } from './store.ts'

/** A page that its client has. `lost`: another poll has claimed it since, so its cursor cannot be committed. */
type Delivery = { token: string; from: string; to: string; lost?: true }

/** Milliseconds between attempts. */
const RETRY = 250

/** Maximum number of uncommitted deliveries. The oldest are dropped. */
const MAX_KEPT = 50_000

/**
 * Commits the cursors of delivered pages. If the store does not accept a cursor, because Redis is unreachable or refuses
 * writes, this process keeps the cursor and tries again, so that the page is not delivered a second time.
 */
export function createDeliveries({ log, store }: createDeliveries.Options) {
  const attempts = new Map<string, Promise<void>>()
  /** Cursors of delivered pages that are not committed yet. */
  const kept = new Map<string, Delivery>()
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  let failing = false

  /** Commits a cursor. @returns whether the store answered. */
  async function attempt(id: string, delivery: Delivery): Promise<boolean> {
    const { from, to, token } = delivery
    try {
      const isCommitted = await store.commit(id, token, from, to)
      failing = false
      if (!isCommitted) {
        delivery.lost = true
        log.warn({ id }, 'a filter page was delivered after its lease was lost')
      } else if (kept.get(id) === delivery) kept.delete(id)
      return true
    } catch (error) {
      if (!failing) log.warn({ err: error }, 'the cursor of a delivered page could not be stored')
      failing = true
      return false
    }
  }

  /** Tries the oldest again, and the others when that has succeeded. */
  async function retry(): Promise<void> {
    for (const [id, delivery] of kept)
      if (!delivery.lost && !(await attempt(id, delivery))) return schedule()
    return undefined
  }

  function schedule(): void {
    if (stopped || timer) return
    timer = setTimeout(() => {
      timer = undefined
      void retry()
    }, RETRY)
    timer.unref()
  }

  return {
    /** Commits in the background until the store has accepted the cursor. */
    commit(id: string, delivery: Delivery): void {
      kept.delete(id)
      kept.set(id, delivery)
      for (const oldest of kept.keys()) {
        if (kept.size <= MAX_KEPT) break
        kept.delete(oldest)
      }
      const attempted = attempt(id, delivery).then((isTaken) => {
        if (attempts.get(id) === attempted) attempts.delete(id)
        if (!isTaken) schedule()
        return undefined
      })
      attempts.set(id, attempted)
    },
    /** Resolves when no commit for a filter is in flight. */
    attempted: async (id: string) => attempts.get(id),
    /** The cursor of a filter's client: the cursor in the store, or a later one that is not committed yet. */
    cursorOf(id: string, stored: string): string {
      const delivery = kept.get(id)
      if (delivery?.from === stored) return delivery.to
      kept.delete(id)
      return stored
    },
    stop(): void {
      stopped = true
      clearTimeout(timer)
    },
  }
}

export declare namespace createDeliveries {
  type Options = { log: HeadLog; store: Pick<FilterStore, 'commit'> }
}
