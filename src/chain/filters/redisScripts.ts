// Lua scripts of the filter store. They use the clock of Redis, so that the clocks of replicas do not matter.
//
// A script has either one filter or the counts. In a Cluster they may be on different servers.
//
// KEYS[1] of the scripts of a filter is the filter (hash): `spec`, `cursor`, `owner`, and `token` and `until` of a lease.
//
// KEYS of the scripts of the counts are
//   KEYS[1] ids by the time until which they count (sorted set)
//   KEYS[2] the owner of each id, `<bytes> <client>` (hash)
//   KEYS[3] sums (hash): `bytes` of all, `count <client>` and `bytes <client>`
//
// A Redis whose memory is full refuses a script whose first write may need memory, but no later write of a script. So the
// scripts of existing filters begin with a write that needs no memory.

const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`

const COUNTS = `${NOW}
local function parse(owner)
  local space = string.find(owner, ' ', 1, true)
  return string.sub(owner, 1, space - 1), string.sub(owner, space + 1)
end
local function remove(id)
  redis.call('ZREM', KEYS[1], id)
  local owner = redis.call('HGET', KEYS[2], id)
  if not owner then return end
  redis.call('HDEL', KEYS[2], id)
  local bytes, client = parse(owner)
  redis.call('HINCRBY', KEYS[3], 'bytes', '-' .. bytes)
  if redis.call('HINCRBY', KEYS[3], 'count ' .. client, -1) > 0 then
    redis.call('HINCRBY', KEYS[3], 'bytes ' .. client, '-' .. bytes)
  else
    redis.call('HDEL', KEYS[3], 'count ' .. client, 'bytes ' .. client)
  end
end
-- A batch at a time: one script must not block Redis for long.
local function dropExpired(most)
  local expired = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, most)
  for _, id in ipairs(expired) do remove(id) end
  return #expired == most
end
local function answer(outcome)
  return { outcome, redis.call('ZCARD', KEYS[1]), redis.call('HGET', KEYS[3], 'bytes') }
end`

/** Counts a filter that will be created, once. ARGV: id, owner, lifetime of the count, of the lists, the four limits. */
export const RESERVE = `${COUNTS}
if dropExpired(1000) then return answer('again') end
if redis.call('ZSCORE', KEYS[1], ARGV[1]) then return answer('ok') end
local bytes, client = parse(ARGV[2])
local added = tonumber(bytes)
local sums = redis.call('HMGET', KEYS[3], 'bytes', 'count ' .. client, 'bytes ' .. client)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[5]) then return answer('total') end
if tonumber(sums[2] or '0') >= tonumber(ARGV[6]) then return answer('perClient') end
if tonumber(sums[3] or '0') + added > tonumber(ARGV[8]) then return answer('bytesPerClient') end
if tonumber(sums[1] or '0') + added > tonumber(ARGV[7]) then return answer('bytesTotal') end
redis.call('ZADD', KEYS[1], now + ARGV[3], ARGV[1])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
redis.call('HINCRBY', KEYS[3], 'bytes', bytes)
redis.call('HINCRBY', KEYS[3], 'count ' .. client, 1)
redis.call('HINCRBY', KEYS[3], 'bytes ' .. client, bytes)
for index = 1, 3 do redis.call('PEXPIRE', KEYS[index], ARGV[4]) end
return answer('ok')`

/** Filters were used, so they count longer. Also returns the ids that do not count. ARGV: lifetime of the counts, of the lists, ids. */
export const COUNT = `${COUNTS}
for index = 1, 3 do redis.call('PEXPIRE', KEYS[index], ARGV[2]) end
dropExpired(100)
local missing = {}
for index = 3, #ARGV do
  if redis.call('ZSCORE', KEYS[1], ARGV[index]) then
    redis.call('ZADD', KEYS[1], now + ARGV[1], ARGV[index])
  else
    missing[#missing + 1] = ARGV[index]
  end
end
return { 'ok', redis.call('ZCARD', KEYS[1]), redis.call('HGET', KEYS[3], 'bytes'), missing }`

/** The filter does not exist any more. ARGV: id. */
export const DISCOUNT = `${COUNTS}
remove(ARGV[1])
return answer('ok')`

/** A filter that exists stays as it is. ARGV: spec, cursor, owner, lifetime. */
export const CREATE = `
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('HSET', KEYS[1], 'spec', ARGV[1], 'cursor', ARGV[2], 'owner', ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return 1`

/** ARGV: token, the cursor at which there is nothing, lease, lifetime of the filter. */
export const CLAIM = `${NOW}
local found = redis.call('HMGET', KEYS[1], 'spec', 'cursor', 'token', 'until')
if not found[1] then return false end
redis.call('PEXPIRE', KEYS[1], ARGV[4])
if found[3] and tonumber(found[4]) > now then return { found[1], found[2], 'busy' } end
if found[2] == ARGV[2] then return { found[1], found[2], 'idle' } end
redis.call('HSET', KEYS[1], 'token', ARGV[1], 'until', now + ARGV[3])
return { found[1], found[2], 'claimed' }`

// An expired lease stays valid until another poll claims the page.
const HOLDS = `
local held = redis.call('HMGET', KEYS[1], 'token', 'cursor')
if held[1] ~= ARGV[1] then return false end`

/** ARGV: token, lease, lifetime of the filter. */
export const RENEW = `${NOW}${HOLDS}
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('HSET', KEYS[1], 'until', now + ARGV[2])
return 1`

/** ARGV: token, cursor before and after the page. */
export const COMMIT = `${HOLDS}
if held[2] ~= ARGV[2] then return false end
redis.call('HDEL', KEYS[1], 'token', 'until')
redis.call('HSET', KEYS[1], 'cursor', ARGV[3])
return 1`

/** ARGV: token. */
export const RELEASE = `${HOLDS}
redis.call('HDEL', KEYS[1], 'token', 'until')
return 1`

/** Writes a placeholder to see whether Redis accepts writes. */
export const CHECK = `return redis.call('SET', KEYS[1], '1', 'PX', 1000)`
