import type { RedisLink } from '../../lib/redis.ts'
import { newId } from '../changes/id.ts'
import { createRedisCounts } from './redisCounts.ts'
import { CHECK, CLAIM, COMMIT, CREATE, RELEASE, RENEW } from './redisScripts.ts'
import {
  type Claim,
  filterBytes,
  type FilterLimits,
  type FilterSpec,
  type FilterStore,
} from './store.ts'

/** A store in Redis. `flush` counts the filters that were used; a timer does so too. */
export type RedisFilterStore = FilterStore & { flush(): Promise<void> }

/**
 * Filters that all replicas share. Each is one key, so that a Cluster can spread them. The counts for the limits are in one place:
 * a filter is counted before it is created, and counted longer while it is used. A replica that dies between both leaves a count
 * that expires.
 *
 * Every call throws StoreUnavailableError when Redis cannot be used.
 */
export function createRedisFilterStore({
  isSpread = false,
  link,
  name = 'filter',
  ...limits
}: createRedisFilterStore.Options): RedisFilterStore {
  const { lease, perClient, ttl } = limits
  const counts = createRedisCounts({ ...limits, link, name, ownerOf })
  const create = link.script(CREATE)
  const claim = link.script(CLAIM)
  const renew = link.script(RENEW)
  const commit = link.script(COMMIT)
  const release = link.script(RELEASE)
  const check = link.script(CHECK)

  /** The keys that a filter may have. New filters get the first. */
  function keysOf(id: string): [string, ...string[]] {
    const key = `${name}:${id}`
    return isSpread ? link.spreadKeys(key) : [link.key(key)]
  }

  /** Runs a script with each key of a filter until one answers. */
  async function first(script: ReturnType<RedisLink['script']>, id: string, args: Args) {
    for (const key of keysOf(id)) {
      const answer = await script([key], args)
      if (answer !== null) return answer
    }
    return null
  }

  /** Fields of a filter; undefined where the first is missing. */
  async function fieldsOf(id: string, ...fields: string[]) {
    for (const key of keysOf(id)) {
      const values = await link.run((redis) => redis.hmget(key, ...fields))
      if (values[0] !== null) return values
    }
    return undefined
  }

  async function ownerOf(id: string): Promise<string | undefined> {
    const [owner] = (await fieldsOf(id, 'owner')) ?? []
    return owner ?? undefined
  }

  return {
    async create({ client, most = perClient }, { cursor, spec }, id) {
      if (id !== undefined && (await this.read(id))) return id
      const chosen = id ?? newId()
      const text = JSON.stringify(spec)
      const owner = `${filterBytes(text)} ${client}`
      await counts.reserve(chosen, owner, most)
      try {
        await create([keysOf(chosen)[0]], [text, cursor, owner, ttl])
      } catch (error) {
        await counts.remove(chosen)
        throw error
      }
      return chosen
    },
    async read(id) {
      const [spec, cursor] = (await fieldsOf(id, 'spec', 'cursor')) ?? []
      if (!spec || typeof cursor !== 'string') return undefined
      return { cursor, spec: JSON.parse(spec) as FilterSpec }
    },
    async claim(id, token, nothing) {
      const found = (await first(claim, id, [token, nothing, lease, ttl])) as
        | [string, string, Claim['state']]
        | null
      if (!found) return undefined
      const [spec, cursor, state] = found
      counts.use(id)
      return { spec: JSON.parse(spec) as FilterSpec, cursor, state }
    },
    async renew(id, token) {
      const isRenewed = (await first(renew, id, [token, lease, ttl])) !== null
      if (isRenewed) counts.use(id)
      return isRenewed
    },
    commit: async (id, token, from, to) => (await first(commit, id, [token, from, to])) !== null,
    async release(id, token) {
      await first(release, id, [token])
    },
    async remove(id) {
      let removed = 0
      for (const key of keysOf(id)) removed += await link.run((redis) => redis.del(key))
      await counts.remove(id)
      return removed > 0
    },
    async check() {
      await check([link.key(`${name}s:check`)], [])
    },
    usage: () => counts.usage(),
    flush: () => counts.flush(),
  }
}

type Args = (string | number)[]

export declare namespace createRedisFilterStore {
  type Options = FilterLimits & {
    /** Whether a Cluster may spread the filters over its servers. Only for ids that are never given twice. @default false */
    isSpread?: boolean
    link: RedisLink
    /** What the store holds: the first part of its keys. @default 'filter' */
    name?: string
  }
}
