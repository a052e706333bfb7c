// The Lua scripts of redisSentStore.ts, which names their keys. Redis runs each as one step.

import { MAX_CONTRACTS, SENT_TTL_SECONDS } from './sentStore.ts'

/**
 * Seconds for which the nonces of a natively signing account are kept after its last transaction. Those of managed
 * accounts are kept without limit, because they prevent the gateway from signing an old Ethereum transaction again.
 */
const NONCES_TTL_SECONDS = 400 * 24 * 60 * 60

/** More writes than a run of Redis has. */
const WRITES_OF_RUN = 1e9

/** Lua that finds the first nonce that is not mined, and the first that is free. */
const COUNT = `
local function nonces(minedKey, noncesKey)
  local mined = math.max(tonumber(redis.call('GET', minedKey) or '0'), tonumber(redis.call('HGET', noncesKey, 'walked') or '0'))
  local next = math.max(mined, tonumber(redis.call('HGET', noncesKey, 'next') or '0'))
  local holder = redis.call('HGET', noncesKey, tostring(mined))
  while holder and (holder == '' or string.sub(holder, 1, 1) == '+') do
    mined = mined + 1
    holder = redis.call('HGET', noncesKey, tostring(mined))
  end
  next = math.max(mined, next)
  while redis.call('HEXISTS', noncesKey, tostring(next)) == 1 do next = next + 1 end
  return mined, next
end
`

// The clock of Redis, and later than all before, so that every replica reads all records, and in one order.
const RECORD = `
local function record(contracts, member)
  local time = redis.call('TIME')
  local last = redis.call('ZREVRANGE', contracts, 0, 0, 'WITHSCORES')[2] or '0'
  local now = math.max(tonumber(time[1]) * 1e6 + tonumber(time[2]), math.floor(tonumber(last) * 1e6 + 0.5) + 1)
  redis.call('ZADD', contracts, string.format('%.6f', now / 1e6), member)
  return now / 1e6
end
`

/** The run of the server; empty where its user may not call INFO. */
const RUN = `
local info = redis.pcall('INFO', 'server')
local run = type(info) == 'string' and string.match(info, 'run_id:(%S+)') or ''
`

/** A run in which alone a script may read or write; empty for any. */
const IN_RUN = `${RUN}
if ARGV[1] ~= '' and run ~= ARGV[1] then return 'moved' end
`

/** Reads a record. KEYS: tx. ARGV: run. */
export const READ = `${IN_RUN}
return redis.call('GET', KEYS[1])
`

/**
 * A server that was not seen before may have lost what the one before it had. Its writes are later than all of those, whenever they are
 * restored.
 *
 * KEYS: run, version. ARGV: the run and the highest version that the process knows.
 */
export const LOOK = `${RUN}
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local before = redis.call('HGET', KEYS[1], 'id')
if before ~= run then
  local uptime = run == '' and 1e9 or string.match(info, 'uptime_in_seconds:(%d+)') or 0
  local since = (before or ARGV[1] ~= '') and now or now - uptime * 1000
  redis.call('HSET', KEYS[1], 'id', run, 'since', string.format('%.0f', since))
end
local version = tonumber(redis.call('GET', KEYS[2]) or 0)
if before ~= run or version < tonumber(ARGV[2]) then
  version = math.floor(math.max(version, ARGV[2]) / ${WRITES_OF_RUN} + 1) * ${WRITES_OF_RUN}
  redis.call('SET', KEYS[2], string.format('%.0f', version))
end
return {run, now - redis.call('HGET', KEYS[1], 'since')}
`

/**
 * Writes a record, and keeps the nonces and the sets as it says. The version is appended to the text: Redis would write its numbers anew.
 *
 * KEYS: pending, pending of the sender, mined, tx, alias, nonces, ending by id and by hash, blocks, contracts, version. ARGV: run, place,
 * text.
 */
const PUT = `${IN_RUN}${RECORD}
local it = cjson.decode(ARGV[2])
local function versionOf(text) return text and tonumber(string.match(text, '"version":(%d+)}$') or '0') or -1 end
local function lower(field)
  local at = tonumber(redis.call('HGET', KEYS[6], field) or '0')
  if at > it.nonce then redis.call('HSET', KEYS[6], field, it.nonce) end
end
local function tidy()
  if redis.call('HLEN', KEYS[6]) <= 2 then redis.call('HDEL', KEYS[6], 'next', 'walked') end
end
local function put(text, version)
  if version == 0 then version = redis.call('INCR', KEYS[11]) end
  text = string.sub(text, 1, -2) .. string.format(',"version":%.0f}', version)
  redis.call('ZREM', KEYS[9], it.id)
  if it.state == 'pending' or it.state == 'mined' then
    local isNew = redis.call('EXISTS', KEYS[4]) == 0
    local isFirst = isNew and redis.call('EXISTS', KEYS[6]) == 0
    redis.call('SET', KEYS[4], text)
    redis.call('HSET', KEYS[6], it.nonce, (it.state == 'mined' and '+' or '') .. it.id)
    if isNew then
      redis.call('DEL', KEYS[7], KEYS[8])
      for i = 1, 2 do redis.call('ZADD', KEYS[i], it.expiration, it.id) end
      if it.alias then
        redis.call('SET', KEYS[5], it.id)
        redis.call('PERSIST', KEYS[6])
      elseif isFirst then redis.call('EXPIRE', KEYS[6], ${NONCES_TTL_SECONDS}) end
    end
    if it.state == 'mined' then redis.call('ZADD', KEYS[9], it.block.number, it.id) else lower('walked') end
    return version
  end
  redis.call('ZREM', KEYS[1], it.id)
  redis.call('ZREM', KEYS[2], it.id)
  if it.state == 'ended' then
    redis.call('DEL', KEYS[4])
    -- One that was restored before may have both.
    if redis.call('GET', KEYS[5]) == it.id then redis.call('DEL', KEYS[5]) end
    local holder = redis.call('HGET', KEYS[6], it.nonce)
    if holder == it.id or holder == '+' .. it.id then
      redis.call('HDEL', KEYS[6], it.nonce)
      lower('next')
      lower('walked')
    end
    tidy()
    for i = 7, 8 do
      if versionOf(redis.call('GET', KEYS[i])) < version then redis.call('SET', KEYS[i], text, 'EX', ${SENT_TTL_SECONDS}) end
    end
    if redis.call('ZREM', KEYS[10], it.predicted .. ':' .. it.actual) == 1 then record(KEYS[10], it.predicted .. ':') end
    return version
  end
  redis.call('SET', KEYS[4], text, 'EX', ${SENT_TTL_SECONDS})
  if it.alias then redis.call('SET', KEYS[5], it.id, 'EX', ${SENT_TTL_SECONDS}) end
  local wasForever = redis.call('TTL', KEYS[3]) == -1
  local mined = tonumber(redis.call('GET', KEYS[3]) or '0')
  redis.call('HSET', KEYS[6], it.nonce, '')
  while redis.call('HGET', KEYS[6], tostring(mined)) == '' do
    redis.call('HDEL', KEYS[6], tostring(mined))
    mined = mined + 1
  end
  tidy()
  redis.call('SET', KEYS[3], mined)
  if not it.alias and not wasForever then
    redis.call('EXPIRE', KEYS[3], ${NONCES_TTL_SECONDS})
    redis.call('EXPIRE', KEYS[6], ${NONCES_TTL_SECONDS})
  end
  return version
end
`

/** As `PUT`, for the next nonce of the sender, if the nonce of the place is that one or -1. */
export const RESERVE = `${COUNT}${PUT}
local known = it.alias and redis.call('GET', KEYS[5])
if known then return {'known', known} end
if redis.call('EXISTS', KEYS[4]) == 1 then return {'known', it.id} end
local mined, next = nonces(KEYS[3], KEYS[6])
local nonce = it.nonce
if nonce >= 0 and nonce ~= next then
  local holder = redis.call('HGET', KEYS[6], nonce)
  if nonce < mined or holder == '' or (holder and string.sub(holder, 1, 1) == '+') then return {'low', next} end
  if holder then return {'taken', next} end
  return {'high', next}
end
it.nonce = next
local version = put(string.sub(ARGV[3], 1, -2) .. ',"nonce":' .. next .. '}', 0)
redis.call('HSET', KEYS[6], 'next', next + 1, 'walked', mined)
return {'reserved', next, version}
`

/** As `PUT`. ARGV: also the text that is replaced; empty to restore it. */
export const WRITE = `${PUT}
local stored = redis.call('GET', KEYS[4])
if ARGV[4] ~= '' then
  if stored ~= ARGV[4] then return 'changed' end
  return put(ARGV[3], it.version)
end
if math.max(versionOf(stored), versionOf(redis.call('GET', KEYS[7]))) >= it.version then return 'later' end
if it.state ~= 'ended' then
  local holder = redis.call('HGET', KEYS[6], it.nonce)
  if holder == '' or it.nonce < tonumber(redis.call('GET', KEYS[3]) or '0') then return 'later' end
  holder = holder and string.match(holder, '[^+]+')
  if holder and holder ~= it.id then return holder end
  local other = it.alias and redis.call('GET', KEYS[5])
  if other and other ~= it.id then return other end
end
return put(ARGV[3], it.version)
`

/** The first nonce that is not mined, and the first that is free. KEYS: mined, nonces. */
export const COUNTS = `${COUNT}
return {nonces(KEYS[1], KEYS[2])}
`

/** Records the contract of a transaction. KEYS: contracts, tx. ARGV: contract. */
export const ADD_CONTRACT = `${RECORD}
if redis.call('EXISTS', KEYS[2]) == 0 then return end
if redis.call('ZSCORE', KEYS[1], ARGV[1]) then return end
local now = record(KEYS[1], ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.6f', now - ${SENT_TTL_SECONDS}))
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -${MAX_CONTRACTS + 1})
redis.call('EXPIRE', KEYS[1], ${SENT_TTL_SECONDS})
`
