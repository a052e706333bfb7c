import type { Hash } from 'viem'

import type { RedisLink } from '../../lib/redis.ts'
import { KEPT_HASHES, type PendingLog, type WatchRequest } from './pendingLog.ts'

/** Milliseconds for which the hashes outlive the last request, because positions of filters refer to them. */
const LIFETIME = 3_600_000

/** Hashes of one call, which bounds the time that Redis needs for it. */
const BATCH = 1_000

// KEYS of all scripts: the request to watch, the hashes by sequence number, the last sequence number.

const WANT = `
local left = redis.call('PTTL', KEYS[1])
if left <= 0 then
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[1])
elseif left < tonumber(ARGV[1]) then
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
end
for index = 2, 3 do
  if redis.call('PTTL', KEYS[index]) < tonumber(ARGV[3]) then redis.call('PEXPIRE', KEYS[index], ARGV[3]) end
end
return { redis.call('GET', KEYS[1]), redis.call('PTTL', KEYS[1]) }`

const APPEND = `
local count = tonumber(redis.call('GET', KEYS[3]) or '0')
local before = count
for index = 3, #ARGV do
  if redis.call('ZADD', KEYS[2], 'NX', count + 1, ARGV[index]) == 1 then
    count = count + 1
  end
end
if count == before then return 0 end
local left = math.max(redis.call('PTTL', KEYS[3]), tonumber(ARGV[1]))
redis.call('SET', KEYS[3], count, 'PX', left)
redis.call('PEXPIRE', KEYS[2], left)
redis.call('ZREMRANGEBYRANK', KEYS[2], 0, -1 - tonumber(ARGV[2]))
return count - before`

const SINCE = `
local count = tonumber(redis.call('GET', KEYS[3]) or '0')
local position = tonumber(ARGV[1])
if position > count or position < count - redis.call('ZCARD', KEYS[2]) then return false end
return redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. ARGV[1], '+inf', 'WITHSCORES', 'LIMIT', 0, ARGV[2])`

/** A log in Redis for all replicas. Every call throws StoreUnavailableError when Redis cannot be used. */
export function createRedisPendingLog(link: RedisLink, { kept = KEPT_HASHES } = {}): PendingLog {
  const keys = [link.key('pool:watch'), link.key('pool:seen'), link.key('pool:count')] as const
  const [request, seen, count] = keys
  const want = link.script(WANT)
  const append = link.script(APPEND)
  const since = link.script(SINCE)

  return {
    async want(milliseconds, height) {
      const args = [milliseconds, height, milliseconds + LIFETIME]
      return toRequest((await want([...keys], args)) as [string, number])
    },
    wanted: () =>
      link.run(async (client) => {
        const [height, left] = await Promise.all([client.get(request), client.pttl(request)])
        return height === null || left <= 0 ? undefined : toRequest([height, left])
      }),
    async append(hashes) {
      for (let start = 0; start < hashes.length; start += BATCH)
        await append([...keys], [LIFETIME, kept, ...hashes.slice(start, start + BATCH)])
    },
    position: () => link.run(async (client) => (await client.get(count)) ?? '0'),
    async since(position, limit) {
      if (!/^\d+$/.test(position)) return undefined
      const found = (await since([...keys], [position, limit])) as string[] | null
      if (!found) return undefined
      return {
        hashes: found.filter((_, index) => index % 2 === 0) as Hash[],
        position: found.at(-1) ?? position,
      }
    },
    recent: (limit) =>
      link.run(async (client) => (await client.zrange(seen, String(-limit), '-1')) as Hash[]),
  }
}

function toRequest([height, milliseconds]: [string, number]): WatchRequest {
  return { height: Number(height), milliseconds }
}
