import type { RedisLink } from '../lib/redis.ts'
import { burstOf, DAY_MS } from './caller.ts'
import { type Grant, type LimitStore, ROUNDING } from './store.ts'

/**
 * Counts in Redis, for all replicas, by its clock. The caller is one hash, so the script changes all of its limits at once
 * and works in Redis Cluster.
 */
export function createRedisLimitStore({
  link,
}: {
  link: Pick<RedisLink, 'key' | 'script'>
}): LimitStore {
  const run = link.script(TAKE)
  return {
    async take(id, limits, { debt, need, want }) {
      const { daily = -1, rate = 0 } = limits
      const answer = await run(
        [link.key(`caller:${id}`)],
        [rate, burstOf(limits), daily, debt, need, want],
      )
      const [granted, remaining, limit, retryAfterMs] = answer as [string, string, string, string]
      return {
        granted: Number(granted),
        limit: limit as Grant['limit'],
        remaining: Number(remaining),
        retryAfterMs: Number(retryAfterMs),
      }
    },
  }
}

/** `takeFrom` of store.ts. KEYS: the caller. ARGV: rate or 0, burst, units a day or -1, debt, need, want. */
const TAKE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local rate, burst, daily = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local debt, need, want = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local kept = redis.call('HMGET', KEYS[1], 'full', 'day', 'used', 'at')
local full, used = tonumber(kept[1] or '0'), tonumber(kept[3] or '0')
local day, at = math.floor(now / ${DAY_MS}), tonumber(kept[4] or '0')
if tonumber(kept[2] or '0') < day then used = 0 end
if now < at then full = full - (at - now) end
local perUnit = rate == 0 and 0 or 1000 / rate
full = math.max(full, now) + debt * perUnit
used = math.max(0, used + debt)
local ofRate = rate == 0 and math.huge or burst - math.max(0, full - now) / perUnit
local ofDay = daily < 0 and math.huge or daily - used
local left = math.min(ofRate, ofDay)
local granted, wait = 0, 0
local limit = ofDay < ofRate and 'daily' or 'rate'
if left + ${ROUNDING} >= need then
  granted = math.max(need, math.min(want, left))
  full = full + granted * perUnit
  used = used + granted
elseif ofDay < need then
  limit = 'daily'
  wait = (day + 1) * ${DAY_MS} - now
else
  limit = 'rate'
  wait = (need - ofRate) * perUnit
end
if granted ~= 0 or debt ~= 0 then
  local text = '%.17g'
  redis.call('HSET', KEYS[1], 'full', text:format(full), 'day', day, 'used', text:format(used), 'at', text:format(now))
  local keep = math.max(full - now, daily < 0 and 0 or (day + 1) * ${DAY_MS} - now)
  redis.call('PEXPIRE', KEYS[1], math.ceil(keep) + 1000)
end
left = left - granted
if left == math.huge then left = 1e300 end
return { ('%.17g'):format(granted), ('%.17g'):format(left), limit, ('%.17g'):format(wait) }`

/** KEYS: the replicas by the time of their last announcement (sorted set). ARGV: name of this one, milliseconds. Returns their number. */
export const ANNOUNCE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return redis.call('ZCARD', KEYS[1])`
