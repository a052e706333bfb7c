import type { Address, Hash } from 'viem'

import type { RedisLink } from '../lib/redis.ts'
import { createdContract } from './contracts.ts'
import {
  type Changed,
  type ContractRecord,
  type Ending,
  endingOf,
  firstRecord,
  MAX_CONTRACTS,
  type Reservation,
  SENT_TTL_SECONDS,
  type SentEvent,
  type SentStore,
  type SentTransaction,
} from './sentStore.ts'
import { transition } from './transition.ts'

/**
 * Seconds for which the nonces of a natively signing account are kept after its last transaction. Those of managed
 * accounts are kept without limit, because they prevent the gateway from signing an old Ethereum transaction again.
 */
const NONCES_TTL_SECONDS = 400 * 24 * 60 * 60

/** Ids of one command: many more would stop Redis for too long, or be more arguments than a function takes. */
const BATCH = 1_000

/** Attempts to change a record that other replicas change at the same time. Each of theirs succeeded meanwhile. */
const ATTEMPTS = 50

/**
 * A store that all replicas share. Its keys, under `sent:`:
 *
 * - `tx:<id>`: the transaction as JSON, `alias:<hash>`: its id; 30 days from when it is final
 * - `mined:<address>`: all nonces below it are final
 * - `nonces:<address>`: a hash of the used nonces from there on: the id of a pending transaction, `+` and the id of a mined one, or
 *   empty if it is final. `next` and `walked` are where the last searches ended: below them none is free, or none is pending
 * - `contracts`: a sorted set of created contracts (`<predicted>:<actual>`, `<predicted>:` when it was removed) by the time
 *   they were added, in seconds, each later than the one before; 30 days
 * - `ending:<id>` and `ending:<hash>`: how a transaction ended that is in no block, as JSON; 30 days
 * - `pending` and `pending:<address>`: sorted sets of the ids that are not final, by expiration
 * - `blocks`: a sorted set of the ids that are mined and not final, by the height of their block
 *
 * What decides about money has no lifetime: the nonces of managed accounts, and everything of a transaction that is not final.
 *
 * A change reads the record, asks the state machine, and writes the new record only if nobody else has changed it meanwhile.
 *
 * Every operation throws `StoreUnavailableError` while Redis is unreachable.
 */
export function createRedisSentStore({ redis }: createRedisSentStore.Options): SentStore {
  const reserve = redis.script(RESERVE)
  const write = redis.script(CHANGE)
  const count = redis.script(COUNTS)
  const addContract = redis.script(ADD_CONTRACT)
  const key = (name: string, of = '') => redis.key(`sent:${name}${of && `:${of}`}`)

  const textOf = (id: string) => redis.run((client) => client.get(key('tx', id)))

  const keysOf = ({ alias, from, id }: Pick<SentTransaction, 'alias' | 'from' | 'id'>) => [
    key('pending'),
    key('pending', from),
    key('mined', from),
    key('tx', id),
    key('alias', alias ?? 'none'),
    key('nonces', from),
    key('ending', id),
    key('ending', alias ?? id),
    key('blocks'),
    key('contracts'),
  ]

  /** Undefined when another replica has changed the record meanwhile. */
  async function tryChange(id: Hash, event: SentEvent): Promise<Changed | undefined> {
    const text = await textOf(id)
    const sent = parse(text)
    const next = sent && transition(sent, event)
    if (text === null || !sent || !next) return { changed: false, sent }
    const { actual, predicted } = createdContract(id, sent.from, sent.nonce)
    const after = next === 'ended' ? undefined : next
    const changed = await write(keysOf(sent), [
      id,
      sent.nonce,
      text,
      after?.state ?? 'ended',
      JSON.stringify(after ?? endingOf(sent, event)),
      SENT_TTL_SECONDS,
      sent.alias ? 0 : NONCES_TTL_SECONDS,
      after?.block?.number ?? 0,
      predicted,
      actual,
    ])
    return changed === 1 ? { changed: true, sent: after } : undefined
  }

  /** The first ids of a sorted set, up to a score. */
  const first = (name: string, upTo: number | string, limit: number) =>
    redis.run((client) => client.zrangebyscore(name, '-inf', upTo, 'LIMIT', 0, limit)) as Promise<
      Hash[]
    >

  return {
    async reserve({ nonce = -1, ...given }) {
      const { nonce: _, ...sent } = firstRecord(given, nonce)
      const { alias, expiration, id } = given
      const ttl = alias ? 0 : NONCES_TTL_SECONDS
      const args = [id, expiration, nonce, JSON.stringify(sent), ttl, alias ? 1 : 0]
      const answer = await reserve(keysOf(given), args)
      const [outcome, value] = answer as [Reservation['outcome'], string | number]
      if (outcome === 'known') return { outcome, id: value as Hash }
      if (outcome === 'reserved') return { outcome, nonce: Number(value) }
      return { outcome, next: Number(value) }
    },
    assertCopied: (id) => redis.assertCopied(key('tx', id)),
    async change(id, event) {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const result = await tryChange(id, event)
        if (result) return result
      }
      throw new Error(`the record of transaction ${id} changes all the time`)
    },
    async ending(hash) {
      const text = await redis.run((client) => client.get(key('ending', hash)))
      return text === null ? undefined : (JSON.parse(text) as Ending)
    },
    async counts(from) {
      const answer = await count([key('mined', from), key('nonces', from)], [])
      const [mined, next] = answer as [number, number]
      return { mined, next }
    },
    unfinished: ({ from, expiredAt, limit }) =>
      first(key('pending', from), expiredAt === undefined ? '+inf' : `(${expiredAt}`, limit),
    mined: ({ limit, upTo }) => first(key('blocks'), upTo, limit),
    async pick(ids) {
      const found: Hash[] = []
      for (let start = 0; start < ids.length; start += BATCH) {
        const batch = ids.slice(start, start + BATCH)
        const scores = await redis.run((client) => client.zmscore(key('pending'), ...batch))
        found.push(...batch.filter((_, index) => scores[index] !== null))
      }
      return found
    },
    async find(hash) {
      const keys = [key('alias', hash), key('tx', hash)]
      const [id, text] = await redis.run((client) => client.mget(keys))
      return parse(id ? await textOf(id) : (text ?? null))
    },
    async addContract(id) {
      const sent = parse(await textOf(id))
      if (!sent) return
      const { actual, predicted } = createdContract(id, sent.from, sent.nonce)
      await addContract(
        [key('contracts'), key('tx', id)],
        [`${predicted}:${actual}`, SENT_TTL_SECONDS, MAX_CONTRACTS],
      )
    },
    async contracts(cursor) {
      const rows = await redis.run((client) =>
        client.zrangebyscore(key('contracts'), `(${cursor}`, '+inf', 'WITHSCORES'),
      )
      const contracts: ContractRecord[] = []
      let next = cursor
      for (let index = 0; index < rows.length; index += 2) {
        const [predicted, actual] = (rows[index] ?? '').split(':') as [Address, Address | '']
        contracts.push({ predicted, ...(actual && { actual }) })
        next = Number(rows[index + 1])
      }
      return { contracts, next }
    },
  }
}

export declare namespace createRedisSentStore {
  type Options = { redis: Pick<RedisLink, 'assertCopied' | 'key' | 'run' | 'script'> }
}

/** The record in a text. Those of earlier versions have no state, and may have been broadcast more than once. */
function parse(text: string | null): SentTransaction | undefined {
  if (text === null) return undefined
  const sent = JSON.parse(text) as SentTransaction
  if (sent.state !== undefined) return sent
  return { ...sent, broadcasts: 2, state: sent.hex === undefined ? 'final' : 'pending' }
}

/** The first nonce that is not mined, and the first that is free. KEYS: mined, nonces. */
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

/**
 * KEYS: pending, pending of the sender, mined, tx, alias, nonces, ending by id and by hash. ARGV: id, expiration, nonce or −1, JSON,
 * lifetime of the nonces (0: unlimited), has an alias. The nonce is appended to the JSON: Redis would write the numbers anew.
 */
const RESERVE = `${COUNT}
if ARGV[6] == '1' then
  local id = redis.call('GET', KEYS[5])
  if id then return {'known', id} end
end
if redis.call('EXISTS', KEYS[4]) == 1 then return {'known', ARGV[1]} end
local mined, next = nonces(KEYS[3], KEYS[6])
local nonce = tonumber(ARGV[3])
if nonce >= 0 and nonce ~= next then
  local holder = redis.call('HGET', KEYS[6], tostring(nonce))
  if nonce < mined or holder == '' or (holder and string.sub(holder, 1, 1) == '+') then return {'low', next} end
  if holder then return {'taken', next} end
  return {'high', next}
end
redis.call('SET', KEYS[4], string.sub(ARGV[4], 1, -2) .. ',"nonce":' .. next .. '}')
if ARGV[6] == '1' then
  redis.call('SET', KEYS[5], ARGV[1])
end
redis.call('DEL', KEYS[7], KEYS[8])
local isNew = redis.call('EXISTS', KEYS[6]) == 0
redis.call('HSET', KEYS[6], tostring(next), ARGV[1], 'next', next + 1, 'walked', mined)
if ARGV[6] == '1' then redis.call('PERSIST', KEYS[6])
elseif isNew then redis.call('EXPIRE', KEYS[6], ARGV[5]) end
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
redis.call('ZADD', KEYS[2], ARGV[2], ARGV[1])
redis.call('PERSIST', KEYS[1])
redis.call('PERSIST', KEYS[2])
return {'reserved', next}
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

/**
 * Replaces a record if it is still the one that was read, and keeps the nonces and the sets as it says.
 *
 * KEYS: as above, blocks, contracts. ARGV: id, nonce, text that was read, state, new text or
 * ending, lifetime, lifetime of the nonces (0: unlimited), height of the block, predicted and actual address.
 */
const CHANGE = `${RECORD}
if redis.call('GET', KEYS[4]) ~= ARGV[3] then return 0 end
local id, nonce, state = ARGV[1], ARGV[2], ARGV[4]
local function lower(field)
  local at = tonumber(redis.call('HGET', KEYS[6], field) or '0')
  if at > tonumber(nonce) then redis.call('HSET', KEYS[6], field, nonce) end
end
redis.call('ZREM', KEYS[9], id)
if state == 'pending' or state == 'mined' then
  redis.call('SET', KEYS[4], ARGV[5])
  redis.call('HSET', KEYS[6], nonce, (state == 'mined' and '+' or '') .. id)
  if state == 'mined' then redis.call('ZADD', KEYS[9], ARGV[8], id) else lower('walked') end
  return 1
end
redis.call('ZREM', KEYS[1], id)
redis.call('ZREM', KEYS[2], id)
if state == 'ended' then
  redis.call('DEL', KEYS[4], KEYS[5])
  redis.call('HDEL', KEYS[6], nonce)
  lower('next')
  lower('walked')
  if redis.call('HLEN', KEYS[6]) <= 2 then redis.call('HDEL', KEYS[6], 'next', 'walked') end
  for i = 7, 8 do redis.call('SET', KEYS[i], ARGV[5], 'EX', ARGV[6]) end
  if redis.call('ZREM', KEYS[10], ARGV[9] .. ':' .. ARGV[10]) == 1 then record(KEYS[10], ARGV[9] .. ':') end
  return 1
end
redis.call('SET', KEYS[4], ARGV[5], 'EX', ARGV[6])
redis.call('EXPIRE', KEYS[5], ARGV[6])
local wasForever = redis.call('TTL', KEYS[3]) == -1
local mined = tonumber(redis.call('GET', KEYS[3]) or '0')
redis.call('HSET', KEYS[6], nonce, '')
while redis.call('HGET', KEYS[6], tostring(mined)) == '' do
  redis.call('HDEL', KEYS[6], tostring(mined))
  mined = mined + 1
end
if redis.call('HLEN', KEYS[6]) <= 2 then redis.call('HDEL', KEYS[6], 'next', 'walked') end
redis.call('SET', KEYS[3], mined)
if ARGV[7] ~= '0' and not wasForever then
  redis.call('EXPIRE', KEYS[3], ARGV[7])
  redis.call('EXPIRE', KEYS[6], ARGV[7])
end
return 1
`

const COUNTS = `${COUNT}
return {nonces(KEYS[1], KEYS[2])}
`

/** KEYS: contracts, tx. ARGV: contract, lifetime, maximum number. */
const ADD_CONTRACT = `${RECORD}
if redis.call('EXISTS', KEYS[2]) == 0 then return end
if redis.call('ZSCORE', KEYS[1], ARGV[1]) then return end
local now = record(KEYS[1], ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.6f', now - ARGV[2]))
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -(tonumber(ARGV[3]) + 1))
redis.call('EXPIRE', KEYS[1], ARGV[2])
`
