import type { RedisLink } from '../redis.ts'
import { newId } from './id.ts'
import { tooMany, tooManyOfClient } from './memory.ts'
import type { FilterLimits, FilterSpec, FilterStore, Taken } from './store.ts'

// Time is Redis's own everywhere, so that replicas with different clocks agree.
const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`

const CREATE = `${NOW}
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
if redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[6]) then return 'total' end
if redis.call('ZCARD', KEYS[3]) >= tonumber(ARGV[7]) then return 'client' end
redis.call('HSET', KEYS[1], 'spec', ARGV[2], 'cursor', ARGV[3], 'client', ARGV[4])
redis.call('PEXPIRE', KEYS[1], ARGV[5])
redis.call('ZADD', KEYS[2], now + ARGV[5], ARGV[1])
redis.call('ZADD', KEYS[3], now, ARGV[1])
redis.call('PEXPIRE', KEYS[2], ARGV[8])
redis.call('PEXPIRE', KEYS[3], ARGV[8])
return 'ok'`

const TAKE = `${NOW}
local found = redis.call('HMGET', KEYS[1], 'spec', 'cursor', 'token', 'until')
if not found[1] then return false end
redis.call('PEXPIRE', KEYS[1], ARGV[4])
redis.call('ZADD', KEYS[2], 'XX', now + ARGV[4], ARGV[5])
redis.call('PEXPIRE', KEYS[2], ARGV[6])
if found[3] and tonumber(found[4]) > now then return { found[1], found[2], 'busy' } end
if found[2] == ARGV[2] then return { found[1], found[2], 'idle' } end
redis.call('HSET', KEYS[1], 'token', ARGV[1], 'until', now + ARGV[3])
return { found[1], found[2], 'taken' }`

// A lease that has run out still holds until another poll has taken the page.
const HOLDS = `
local held = redis.call('HMGET', KEYS[1], 'token', 'cursor')
if held[1] ~= ARGV[1] then return 0 end`

const EXTEND = `${NOW}${HOLDS}
redis.call('HSET', KEYS[1], 'until', now + ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1`

const MOVE = `${HOLDS}
if held[2] ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], 'cursor', ARGV[3])
redis.call('HDEL', KEYS[1], 'token', 'until')
return 1`

const RELEASE = `${HOLDS}
redis.call('HDEL', KEYS[1], 'token', 'until')
return 1`

const REMOVE = `
local client = redis.call('HGET', KEYS[1], 'client')
if not client then return false end
redis.call('DEL', KEYS[1])
redis.call('ZREM', KEYS[2], ARGV[1])
return client`

/** Filters that all replicas share. Every call throws StoreUnavailableError when Redis is away. */
export function createRedisFilterStore({
  lease,
  link,
  perClient,
  total,
  ttl,
}: createRedisFilterStore.Options): FilterStore {
  const create = link.script(CREATE)
  const take = link.script(TAKE)
  const extend = link.script(EXTEND)
  const move = link.script(MOVE)
  const release = link.script(RELEASE)
  const remove = link.script(REMOVE)
  const all = link.key('filters')
  const filterKey = (id: string) => link.key(`filter:${id}`)
  const clientKey = (client: string) => link.key(`filters:${client}`)
  // The lists of ids outlive the filters in them, and nothing is kept for ever.
  const listTtl = 4 * ttl

  /** Drops ids of filters that have expired from a client's list. */
  async function tidy(client: string): Promise<void> {
    const ids = await link.run((redis) => redis.zrange(clientKey(client), '0', '-1'))
    const alive = await Promise.all(
      ids.map((id) => link.run((redis) => redis.exists(filterKey(id)))),
    )
    const dead = ids.filter((_, index) => alive[index] === 0)
    if (dead.length > 0) await link.run((redis) => redis.zrem(clientKey(client), ...dead))
  }

  return {
    async create(client, { cursor, spec }) {
      const id = newId()
      const attempt = () =>
        create(
          [filterKey(id), all, clientKey(client)],
          [id, JSON.stringify(spec), cursor, client, ttl, total, perClient, listTtl],
        )
      let outcome = await attempt()
      if (outcome === 'client') {
        await tidy(client)
        outcome = await attempt()
      }
      if (outcome === 'total') throw tooMany(total)
      if (outcome === 'client') throw tooManyOfClient(perClient)
      return id
    },
    async read(id) {
      const [spec, cursor] = await link.run((redis) => redis.hmget(filterKey(id), 'spec', 'cursor'))
      if (!spec || cursor === null || cursor === undefined) return undefined
      return { cursor, spec: JSON.parse(spec) as FilterSpec }
    },
    async take(id, token, nothing) {
      const found = (await take(
        [filterKey(id), all],
        [token, nothing, lease, ttl, id, listTtl],
      )) as [string, string, Taken['state']] | null
      if (!found) return undefined
      return { spec: JSON.parse(found[0]) as FilterSpec, cursor: found[1], state: found[2] }
    },
    extend: async (id, token) => (await extend([filterKey(id)], [token, lease, ttl])) === 1,
    move: async (id, token, from, to) => (await move([filterKey(id)], [token, from, to])) === 1,
    async release(id, token) {
      await release([filterKey(id)], [token])
    },
    async remove(id) {
      const client = await remove([filterKey(id), all], [id])
      if (typeof client !== 'string') return false
      await link.run((redis) => redis.zrem(clientKey(client), id))
      return true
    },
  }
}

export declare namespace createRedisFilterStore {
  type Options = FilterLimits & { link: RedisLink }
}
