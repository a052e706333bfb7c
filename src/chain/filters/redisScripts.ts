// Lua scripts of the filter store. They use the clock of Redis, so that the clocks of replicas do not matter.
//
// KEYS[1] is the filter. If a script needs the lists, they are
//   KEYS[2] ids by the time at which they expire (sorted set)
//   KEYS[3] `<bytes> <client>` of each id (hash)
//   KEYS[4] sums (hash): `bytes` of all, `count <client>` and `bytes <client>`
//
// A Redis whose memory is full refuses a script whose first write may need memory, but no later write of a script. So the
// scripts of existing filters begin with a write that needs no memory.

const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`

/** Removes a filter from the lists and sums. An id that is not in the lists has no owner. */
const REMOVE_FILTER = `
local function removeFilter(id)
  redis.call('ZREM', KEYS[2], id)
  local owner = redis.call('HGET', KEYS[3], id)
  if not owner then return end
  redis.call('HDEL', KEYS[3], id)
  local space = string.find(owner, ' ', 1, true)
  local bytes = string.sub(owner, 1, space - 1)
  local client = string.sub(owner, space + 1)
  redis.call('HINCRBY', KEYS[4], 'bytes', '-' .. bytes)
  if redis.call('HINCRBY', KEYS[4], 'count ' .. client, -1) > 0 then
    redis.call('HINCRBY', KEYS[4], 'bytes ' .. client, '-' .. bytes)
  else
    redis.call('HDEL', KEYS[4], 'count ' .. client, 'bytes ' .. client)
  end
end`

/** Drops expired filters, a batch at a time: one script must not block Redis for long. */
const DROP_EXPIRED = `
local function dropExpired(most)
  local expired = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, most)
  for _, id in ipairs(expired) do removeFilter(id) end
  return #expired == most
end`

/** A filter that exists stays as it is. ARGV: id, spec, cursor, client, bytes, lifetime of the filter, of the lists, the four limits. */
export const CREATE = `${NOW}${REMOVE_FILTER}${DROP_EXPIRED}
local function answer(outcome)
  return { outcome, redis.call('ZCARD', KEYS[2]), redis.call('HGET', KEYS[4], 'bytes') }
end
if redis.call('EXISTS', KEYS[1]) == 1 then return answer('ok') end
if dropExpired(1000) then return answer('again') end
local client = ARGV[4]
local sums = redis.call('HMGET', KEYS[4], 'bytes', 'count ' .. client, 'bytes ' .. client)
local added = tonumber(ARGV[5])
if redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[8]) then return answer('total') end
if tonumber(sums[2] or '0') >= tonumber(ARGV[9]) then return answer('perClient') end
if tonumber(sums[3] or '0') + added > tonumber(ARGV[11]) then return answer('bytesPerClient') end
if tonumber(sums[1] or '0') + added > tonumber(ARGV[10]) then return answer('bytesTotal') end
redis.call('HSET', KEYS[1], 'spec', ARGV[2], 'cursor', ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[6])
redis.call('ZADD', KEYS[2], now + ARGV[6], ARGV[1])
redis.call('HSET', KEYS[3], ARGV[1], ARGV[5] .. ' ' .. client)
redis.call('HINCRBY', KEYS[4], 'bytes', ARGV[5])
redis.call('HINCRBY', KEYS[4], 'count ' .. client, 1)
redis.call('HINCRBY', KEYS[4], 'bytes ' .. client, ARGV[5])
for index = 2, 4 do redis.call('PEXPIRE', KEYS[index], ARGV[7]) end
return answer('ok')`

/** ARGV: token, the cursor at which there is nothing, lease, lifetime of the filter, id, lifetime of the lists. */
export const CLAIM = `${NOW}${REMOVE_FILTER}${DROP_EXPIRED}
local function answer(claim)
  return { redis.call('ZCARD', KEYS[2]), redis.call('HGET', KEYS[4], 'bytes'), claim }
end
dropExpired(100)
local found = redis.call('HMGET', KEYS[1], 'spec', 'cursor', 'token', 'until')
if not found[1] then return answer(false) end
redis.call('PEXPIRE', KEYS[1], ARGV[4])
redis.call('ZADD', KEYS[2], 'XX', now + ARGV[4], ARGV[5])
for index = 2, 4 do redis.call('PEXPIRE', KEYS[index], ARGV[6]) end
if found[3] and tonumber(found[4]) > now then return answer({ found[1], found[2], 'busy' }) end
if found[2] == ARGV[2] then return answer({ found[1], found[2], 'idle' }) end
redis.call('HSET', KEYS[1], 'token', ARGV[1], 'until', now + ARGV[3])
return answer({ found[1], found[2], 'claimed' })`

// An expired lease stays valid until another poll claims the page.
const HOLDS = `
local held = redis.call('HMGET', KEYS[1], 'token', 'cursor')
if held[1] ~= ARGV[1] then return 0 end`

/** ARGV: token, lease, lifetime of the filter, id, lifetime of the lists. */
export const RENEW = `${NOW}${HOLDS}
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('HSET', KEYS[1], 'until', now + ARGV[2])
redis.call('ZADD', KEYS[2], 'XX', now + ARGV[3], ARGV[4])
for index = 2, 4 do redis.call('PEXPIRE', KEYS[index], ARGV[5]) end
return 1`

/** ARGV: token, cursor before and after the page. */
export const COMMIT = `${HOLDS}
if held[2] ~= ARGV[2] then return 0 end
redis.call('HDEL', KEYS[1], 'token', 'until')
redis.call('HSET', KEYS[1], 'cursor', ARGV[3])
return 1`

/** ARGV: token. */
export const RELEASE = `${HOLDS}
redis.call('HDEL', KEYS[1], 'token', 'until')
return 1`

/** ARGV: id. */
export const REMOVE = `${REMOVE_FILTER}
local removed = redis.call('DEL', KEYS[1])
removeFilter(ARGV[1])
return { removed, redis.call('ZCARD', KEYS[2]), redis.call('HGET', KEYS[4], 'bytes') }`

/** Writes a placeholder to see whether Redis accepts writes. */
export const CHECK = `return redis.call('SET', KEYS[1], '1', 'PX', 1000)`
