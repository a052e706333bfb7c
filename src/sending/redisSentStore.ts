import type { Address, Hash } from 'viem'

import type { RedisLink } from '../redis.ts'
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
 * A store that all replicas share. Its keys, under `sent:`:
 *
 * - `tx:<id>`: the transaction as JSON, `alias:<hash>`: its id; 30 days
 * - `mined:<address>`: how many were seen mined
 * - `contracts`: a sorted set of created contracts by the time they were added
 * - `pending` and `pending:<address>`: sorted sets of ids by expiration
 *
 * Every operation throws `StoreUnavailableError` while Redis is away.
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
  ]

  return {
    async reserve({ nonce = -1, ...sent }) {
      const { alias, expiration, id } = sent
      const args = [id, expiration, nonce, JSON.stringify(sent), SENT_TTL_SECONDS, alias ? 1 : 0]
      const answer = await reserve(keysOf(sent), args)
      const [outcome, value] = answer as [Reservation['outcome'], string | number]
      if (outcome === 'known') return { outcome, id: value as Hash }
      if (outcome === 'reserved') return { outcome, nonce: Number(value) }
      return { outcome, next: Number(value) }
    },
    async release(id) {
      const sent = await read(id)
      if (sent) await release(keysOf(sent), [id])
    },
    async confirm(id) {
      const sent = await read(id)
      if (sent) await confirm(keysOf(sent), [id, COUNT_TTL_SECONDS])
    },
    async counts(from) {
      const answer = await count([key('mined', from), key('pending', from)], [])
      const [mined, pending] = answer as [number, number]
      return { mined, pending }
    },
    async pending({ from, expiredAt, limit }) {
      const until = expiredAt === undefined ? '+inf' : `(${expiredAt}`
      const ids = await redis.run((client) =>
        client.zrangebyscore(key('pending', from), '-inf', until, 'LIMIT', 0, limit),
      )
      return ids as Hash[]
    },
    async pick(ids) {
      if (ids.length === 0) return []
      const scores = await redis.run((client) => client.zmscore(key('pending'), ...ids))
      return ids.filter((_, index) => scores[index] !== null)
    },
    async find(hash) {
      const id = await redis.run((client) => client.get(key('alias', hash)))
      return read(id ?? hash)
    },
    async addContract({ actual, predicted }) {
      await addContract([key('contracts')], [`${predicted}:${actual}`, SENT_TTL_SECONDS])
    },
    async contracts(cursor) {
      const rows = await redis.run((client) =>
        client.zrangebyscore(key('contracts'), cursor, '+inf', 'WITHSCORES'),
      )
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
  type Options = { redis: Pick<RedisLink, 'key' | 'run' | 'script'> }
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
