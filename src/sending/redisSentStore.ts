import type { Redis } from 'ioredis'
import type { Address, Hash } from 'viem'

import type { CreatedContract } from './contracts.ts'
import {
  type Reservation,
  SENT_TTL_SECONDS,
  type SentStore,
  type SentTransaction,
} from './sentStore.ts'

/** How long a sender's count is kept after its last transaction: a wallet that comes back later starts at zero. */
const COUNT_TTL_SECONDS = 400 * 24 * 60 * 60

/**
 * A store that all replicas share. All keys carry one hash tag, so that the scripts run on a cluster too:
 *
 * - `tx:<id>`: the transaction as JSON, `alias:<hash>`: its id; 30 days
 * - `mined:<address>`: how many were seen mined
 * - `contracts`: a sorted set of created contracts by the time they were added
 * - `pending` and `pending:<address>`: sorted sets of ids by expiration
 */
export function createRedisSentStore({ prefix, redis }: createRedisSentStore.Options): SentStore {
  const base = `${prefix}:{sent}:`
  const txKey = (id: string) => `${base}tx:${id}`
  const aliasKey = (hash: string) => `${base}alias:${hash}`
  const all = `${base}pending`
  const contractsKey = `${base}contracts`
  const ofSender = (from: string) => `${base}pending:${from}`
  const minedKey = (from: string) => `${base}mined:${from}`

  const read = async (id: string): Promise<SentTransaction | undefined> => {
    const text = await redis.get(txKey(id))
    return text === null ? undefined : (JSON.parse(text) as SentTransaction)
  }

  /** Takes a transaction out of the pending ones; the script says what else becomes of it. */
  async function settle(script: string, id: Hash) {
    const sent = await read(id)
    if (!sent) return
    const { alias = 'none', from } = sent
    const keys = [all, ofSender(from), minedKey(from), txKey(id), aliasKey(alias)]
    await redis.eval(script, keys.length, ...keys, id, COUNT_TTL_SECONDS)
  }

  return {
    async reserve({ nonce, ...sent }) {
      const { alias, expiration, from, id } = sent
      const keys = [all, ofSender(from), minedKey(from), txKey(id), aliasKey(alias ?? 'none')]
      const answer = await redis.eval(
        RESERVE,
        keys.length,
        ...keys,
        id,
        expiration,
        nonce ?? -1,
        JSON.stringify(sent),
        SENT_TTL_SECONDS,
        alias ? 1 : 0,
      )
      const [outcome, value] = answer as [Reservation['outcome'], string | number]
      if (outcome === 'known') return { outcome, id: value as Hash }
      if (outcome === 'reserved') return { outcome, nonce: Number(value) }
      return { outcome, next: Number(value) }
    },
    release: (id) => settle(RELEASE, id),
    confirm: (id) => settle(CONFIRM, id),
    async counts(from) {
      const [mined, pending] = (await redis.eval(COUNTS, 2, minedKey(from), ofSender(from))) as [
        number,
        number,
      ]
      return { mined, pending }
    },
    async pending({ from, expiredAt, limit }) {
      const key = from ? ofSender(from) : all
      const until = expiredAt === undefined ? '+inf' : `(${expiredAt}`
      return (await redis.zrangebyscore(key, '-inf', until, 'LIMIT', 0, limit)) as Hash[]
    },
    async pick(ids) {
      if (ids.length === 0) return []
      const scores = await redis.zmscore(all, ...ids)
      return ids.filter((_, index) => scores[index] !== null)
    },
    async find(hash) {
      return (await read(hash)) ?? read((await redis.get(aliasKey(hash))) ?? hash)
    },
    async addContract({ actual, predicted }) {
      const member = `${predicted}:${actual}`
      await redis.eval(ADD_CONTRACT, 1, contractsKey, member, SENT_TTL_SECONDS)
    },
    async contracts(cursor) {
      const rows = await redis.zrangebyscore(contractsKey, cursor, '+inf', 'WITHSCORES')
      const contracts: CreatedContract[] = []
      let next = cursor
      for (let index = 0; index < rows.length; index += 2) {
        const [predicted, actual] = (rows[index] ?? '').split(':') as [Address, Address]
        contracts.push({ actual, predicted })
        next = Math.max(next, Number(rows[index + 1]))
      }
      return { contracts, next }
    },
  }
}

export declare namespace createRedisSentStore {
  type Options = {
    /** In front of every key. */
    prefix: string
    redis: Redis
  }
}

/** KEYS: pending, pending of the sender, mined, tx, alias. ARGV: id, expiration, nonce or −1, JSON, TTL, has an alias. */
const RESERVE = `
if ARGV[6] == '1' then
  local id = redis.call('GET', KEYS[5])
  if id then return {'known', id} end
end
if redis.call('EXISTS', KEYS[4]) == 1 then return {'known', ARGV[1]} end
local mined = tonumber(redis.call('GET', KEYS[3]) or '0')
local next = mined + redis.call('ZCARD', KEYS[2])
local nonce = tonumber(ARGV[3])
if nonce >= 0 then
  if nonce < mined then return {'low', next} end
  if nonce < next then return {'taken', next} end
  if nonce > next then return {'high', next} end
end
local sent = cjson.decode(ARGV[4])
sent.nonce = next
redis.call('SET', KEYS[4], cjson.encode(sent), 'EX', ARGV[5])
if ARGV[6] == '1' then redis.call('SET', KEYS[5], ARGV[1], 'EX', ARGV[5]) end
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
redis.call('ZADD', KEYS[2], ARGV[2], ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[5])
redis.call('EXPIRE', KEYS[2], ARGV[5])
return {'reserved', next}
`

const RELEASE = `
if redis.call('ZREM', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('DEL', KEYS[4], KEYS[5])
return 1
`

const CONFIRM = `
if redis.call('ZREM', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('INCR', KEYS[3])
redis.call('EXPIRE', KEYS[3], ARGV[2])
return 1
`

const COUNTS = `return {tonumber(redis.call('GET', KEYS[1]) or '0'), redis.call('ZCARD', KEYS[2])}`

// The clock is that of Redis, so that no replica's cursor runs ahead of another's additions.
const ADD_CONTRACT = `
local now = tonumber(redis.call('TIME')[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[2])
`
