import type { RedisLink } from '../../lib/redis.ts'
import { newId } from './id.ts'
import { CHECK, CLAIM, COMMIT, CREATE, RELEASE, REMOVE, RENEW } from './redisScripts.ts'
import {
  type Claim,
  createFullness,
  filterBytes,
  type FilterLimit,
  type FilterLimits,
  type FilterSpec,
  type FilterStore,
  overLimit,
} from './store.ts'

/** Filters that all replicas share. Every call throws StoreUnavailableError when Redis cannot be used. */
export function createRedisFilterStore({
  link,
  name = 'filter',
  ...limits
}: createRedisFilterStore.Options): FilterStore {
  const { bytesPerClient, bytesTotal, lease, perClient, total, ttl } = limits
  const create = link.script(CREATE)
  const claim = link.script(CLAIM)
  const renew = link.script(RENEW)
  const commit = link.script(COMMIT)
  const release = link.script(RELEASE)
  const remove = link.script(REMOVE)
  const check = link.script(CHECK)
  const filterKey = (id: string) => link.key(`${name}:${id}`)
  const lists = ['', ':owners', ':usage'].map((part) => link.key(`${name}s${part}`))
  // The lists expire later than the filters in them, but every key expires.
  const listTtl = 4 * ttl
  const fullness = createFullness(limits)
  let usage = { filters: 0, bytes: 0 }

  /** Stores the usage that a script has returned. */
  function note([filters, bytes]: [number, string | null]): void {
    usage = { filters, bytes: Number(bytes ?? 0) }
  }

  return {
    async create({ client, most = perClient }, { cursor, spec }, id = newId()) {
      const text = JSON.stringify(spec)
      const args = [id, text, cursor, client, filterBytes(text), ttl, listTtl]
      const bounds = [total, most, bytesTotal, bytesPerClient]
      for (;;) {
        const [outcome, filters, bytes] = (await create(
          [filterKey(id), ...lists],
          [...args, ...bounds],
        )) as ['ok' | 'again' | FilterLimit, number, string | null]
        note([filters, bytes])
        if (outcome === 'ok') return id
        // Many filters had expired at once: they are dropped in portions.
        if (outcome === 'again') continue
        if (outcome === 'total' || outcome === 'bytesTotal') fullness.refuse(usage)
        throw overLimit(outcome, { ...limits, perClient: most })
      }
    },
    async read(id) {
      const [spec, cursor] = await link.run((redis) => redis.hmget(filterKey(id), 'spec', 'cursor'))
      if (!spec || cursor === null || cursor === undefined) return undefined
      return { cursor, spec: JSON.parse(spec) as FilterSpec }
    },
    async claim(id, token, nothing) {
      const [filters, bytes, found] = (await claim(
        [filterKey(id), ...lists],
        [token, nothing, lease, ttl, id, listTtl],
      )) as [number, string | null, [string, string, Claim['state']] | null]
      note([filters, bytes])
      if (!found) return undefined
      return { spec: JSON.parse(found[0]) as FilterSpec, cursor: found[1], state: found[2] }
    },
    renew: async (id, token) =>
      (await renew([filterKey(id), ...lists], [token, lease, ttl, id, listTtl])) === 1,
    commit: async (id, token, from, to) => (await commit([filterKey(id)], [token, from, to])) === 1,
    async release(id, token) {
      await release([filterKey(id)], [token])
    },
    async remove(id) {
      const [removed, filters, bytes] = (await remove([filterKey(id), ...lists], [id])) as [
        number,
        number,
        string | null,
      ]
      note([filters, bytes])
      return removed === 1
    },
    async check() {
      await check([link.key(`${name}s:check`)], [])
    },
    usage: () => ({ ...usage, isFull: fullness.isFull(usage) }),
  }
}

export declare namespace createRedisFilterStore {
  type Options = FilterLimits & {
    link: RedisLink
    /** What the store holds: the first part of its keys. @default 'filter' */
    name?: string
  }
}
