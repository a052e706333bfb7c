import type { Address, Hash } from 'viem'

import type { RedisLink } from '../lib/redis.ts'
import { createdContract } from './contracts.ts'
import {
  type ContractRecord,
  type Ending,
  MAX_CONTRACTS,
  type Reservation,
  SENT_TTL_SECONDS,
  type SentStore,
  type SentTransaction,
} from './sentStore.ts'

/**
 * Seconds for which the nonces of a natively signing account are kept after its last transaction. Those of managed
 * accounts are kept without limit, because they prevent the gateway from signing an old Ethereum transaction again.
 */
const NONCES_TTL_SECONDS = 400 * 24 * 60 * 60

/** Ids of one command: many more would stop Redis for too long, or be more arguments than a function takes. */
const BATCH = 1_000

/**
 * A store that all replicas share. Its keys, under `sent:`:
 *
 * - `tx:<id>`: the transaction as JSON, `alias:<hash>`: its id; 30 days from when it is mined
 * - `mined:<address>`: all nonces below it are mined
 * - `nonces:<address>`: a hash of the used nonces from there on: the id of the pending transaction, or empty if mined
 * - `contracts`: a sorted set of created contracts (`<predicted>:<actual>`, `<predicted>:` when it was removed) by the time
 *   they were added, in seconds, each later than the one before; 30 days
 * - `ending:<id>` and `ending:<hash>`: how a transaction ended that is in no block, as JSON; 30 days
 * - `pending` and `pending:<address>`: sorted sets of ids by expiration
 *
 * What decides about money has no lifetime: the nonces of managed accounts, and everything of a pending transaction.
 *
 * Every operation throws `StoreUnavailableError` while Redis is unreachable.
 */
export function createRedisSentStore({ redis }: createRedisSentStore.Options): SentStore {
  const reserve = redis.script(RESERVE)
  const release = redis.script(RELEASE)
  const confirm = redis.script(CONFIRM)
  const count = redis.script(COUNTS)
  const addContract = redis.script(ADD_CONTRACT)
  const key = (name: string, of = '') => redis.key(`sent:${name}${of && `:${of}`}`)

  const read = async (id: string): Promise<SentTransaction | undefined> => {
    const text = await redis.run((client) => client.get(key('tx', id)))
    return text === null ? undefined : (JSON.parse(text) as SentTransaction)
  }

  const keysOf = ({ alias, from, id }: Pick<SentTransaction, 'alias' | 'from' | 'id'>) => [
    key('pending'),
    key('pending', from),
    key('mined', from),
    key('tx', id),
    key('alias', alias ?? 'none'),
    key('nonces', from),
  ]

  return {
    async reserve({ nonce = -1, ...sent }) {
      const { alias, expiration, id } = sent
      const args = [
        id,
        expiration,
        nonce,
        JSON.stringify(sent),
        alias ? 0 : NONCES_TTL_SECONDS,
        alias ? 1 : 0,
      ]
      const answer = await reserve(keysOf(sent), args)
      const [outcome, value] = answer as [Reservation['outcome'], string | number]
      if (outcome === 'known') return { outcome, id: value as Hash }
      if (outcome === 'reserved') return { outcome, nonce: Number(value) }
      return { outcome, next: Number(value) }
    },
    assertCopied: (id) => redis.assertCopied(key('tx', id)),
    async release(id, why) {
      const sent = await read(id)
      if (!sent) return
      const { alias, expiration, from, nonce } = sent
      const { actual, predicted } = createdContract(id, from, nonce)
      const ending: Ending = { id, ...(alias && { alias }), expiration, ...why }
      await release(
        [...keysOf(sent), key('contracts'), key('ending', id), key('ending', alias ?? id)],
        [id, nonce, predicted, actual, JSON.stringify(ending), SENT_TTL_SECONDS],
      )
    },
    async ending(hash) {
      const text = await redis.run((client) => client.get(key('ending', hash)))
      return text === null ? undefined : (JSON.parse(text) as Ending)
    },
    async confirm(id) {
      const sent = await read(id)
      if (!sent) return
      const lifetime = sent.alias ? 0 : NONCES_TTL_SECONDS
      await confirm(keysOf(sent), [id, sent.nonce, lifetime, SENT_TTL_SECONDS])
    },
    async counts(from) {
      const [mined, next] = (await count([key('mined', from), key('nonces', from)], [])) as [
        number,
        number,
      ]
      return { mined, next }
    },
    async pending({ from, expiredAt, limit }) {
      const until = expiredAt === undefined ? '+inf' : `(${expiredAt}`
      const ids = await redis.run((client) =>
        client.zrangebyscore(key('pending', from), '-inf', until, 'LIMIT', 0, limit),
      )
      return ids as Hash[]
    },
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
      const id = await redis.run((client) => client.get(key('alias', hash)))
      return read(id ?? hash)
    },
    async addContract(id) {
      const sent = await read(id)
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

/** The lowest free nonce of an account. KEYS: mined, nonces. */
const NEXT = `
local function nextNonce(minedKey, noncesKey)
  local mined = tonumber(redis.call('GET', minedKey) or '0')
  local next = mined
  while redis.call('HEXISTS', noncesKey, tostring(next)) == 1 do next = next + 1 end
  return mined, next
end
`

/**
 * KEYS: pending, pending of the sender, mined, tx, alias, nonces. ARGV: id, expiration, nonce or −1, JSON, lifetime of the
 * nonces (0: unlimited), has an alias.
 */
const RESERVE = `${NEXT}
if ARGV[6] == '1' then
  local id = redis.call('GET', KEYS[5])
  if id then return {'known', id} end
end
if redis.call('EXISTS', KEYS[4]) == 1 then return {'known', ARGV[1]} end
local mined, next = nextNonce(KEYS[3], KEYS[6])
local nonce = tonumber(ARGV[3])
if nonce >= 0 and nonce ~= next then
  local holder = redis.call('HGET', KEYS[6], tostring(nonce))
  if nonce < mined or holder == '' then return {'low', next} end
  if holder then return {'taken', next} end
  return {'high', next}
end
local sent = cjson.decode(ARGV[4])
sent.nonce = next
redis.call('SET', KEYS[4], cjson.encode(sent))
if ARGV[6] == '1' then
  redis.call('SET', KEYS[5], ARGV[1])
end
local isNew = redis.call('EXISTS', KEYS[6]) == 0
redis.call('HSET', KEYS[6], tostring(next), ARGV[1])
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

/** KEYS as above, contracts, ending by id and by hash. ARGV: id, nonce, predicted and actual address, ending, its lifetime. */
const RELEASE = `${RECORD}
if redis.call('ZREM', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('DEL', KEYS[4], KEYS[5])
redis.call('HDEL', KEYS[6], ARGV[2])
for i = 8, 9 do redis.call('SET', KEYS[i], ARGV[5], 'EX', ARGV[6]) end
if redis.call('ZREM', KEYS[7], ARGV[3] .. ':' .. ARGV[4]) == 1 then record(KEYS[7], ARGV[3] .. ':') end
return 1
`

/** KEYS as above. ARGV: id, nonce, lifetime of the nonces (0: unlimited), lifetime of the transaction. It deletes the signed bytes, which are no longer needed. */
const CONFIRM = `
if redis.call('ZREM', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('ZREM', KEYS[2], ARGV[1])
local text = redis.call('GET', KEYS[4])
if text then
  local sent = cjson.decode(text)
  sent.hex = nil
  redis.call('SET', KEYS[4], cjson.encode(sent), 'EX', ARGV[4])
  redis.call('EXPIRE', KEYS[5], ARGV[4])
end
local wasForever = redis.call('TTL', KEYS[3]) == -1
local mined = tonumber(redis.call('GET', KEYS[3]) or '0')
redis.call('HSET', KEYS[6], ARGV[2], '')
while redis.call('HGET', KEYS[6], tostring(mined)) == '' do
  redis.call('HDEL', KEYS[6], tostring(mined))
  mined = mined + 1
end
redis.call('SET', KEYS[3], mined)
if ARGV[3] ~= '0' and not wasForever then
  redis.call('EXPIRE', KEYS[3], ARGV[3])
  redis.call('EXPIRE', KEYS[6], ARGV[3])
end
return 1
`

const COUNTS = `${NEXT}
return {nextNonce(KEYS[1], KEYS[2])}
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
