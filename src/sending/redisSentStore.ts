import type { Address, Hash } from 'viem'

import { type RedisLink, StoreUnavailableError } from '../lib/redis.ts'
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

/** More writes than a run of Redis has. */
const WRITES_OF_RUN = 1e9

/**
 * A record, or how it ended, as one write left it. `version` is the number of that write. Of two facts of one transaction, and of two
 * transactions with one nonce or one Ethereum hash, the one with the higher version is later.
 */
export type SentFactInRedis = { sent: SentTransaction; ending?: Ending; version: number }

/** The store in Redis, and what restores it. */
type RedisSentStore = SentStore & {
  /** The record of a transaction, by native id or by Ethereum hash. */
  factOf(hash: Hash): Promise<SentFactInRedis | undefined>
  /** The run of the server and its age in milliseconds. @param last - the run and the highest version that this process knows */
  look(last: string, highest: number): Promise<{ run: string; age: number }>
  /** Records a fact again that this run of Redis may have lost. Whatever else has its nonce or its Ethereum hash ended before. */
  restore(fact: SentFactInRedis, inRun: string): Promise<void>
}

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
 * - `version`: the number of writes
 * - `run`: the run of the server that was seen last, and since when, in milliseconds of its clock
 *
 * What decides about money has no lifetime: the nonces of managed accounts, and everything of a transaction that is not final.
 *
 * A change reads the record, asks the state machine, and writes the new record only if nobody else has changed it meanwhile.
 *
 * Every operation throws `StoreUnavailableError` while Redis is unreachable.
 */
export function createRedisSentStore({
  onFact = () => {},
  redis,
  run = () => '',
}: createRedisSentStore.Options): RedisSentStore {
  const script = (lua: string) => {
    const call = redis.script(lua)
    return async (keys: string[], args: (string | number)[]) => {
      const answer = await call(keys, args)
      if (answer === 'moved') throw new MovedError()
      return answer
    }
  }
  const reserve = script(RESERVE)
  const assertRun = script(IN_RUN)
  const write = script(WRITE)
  const count = script(COUNTS)
  const look = script(LOOK)
  const addContract = script(ADD_CONTRACT)
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
    key('version'),
  ]

  /** What the scripts need of a record beside its text. */
  const placeOf = ({ alias, block, expiration, id, nonce, state }: SentTransaction) => ({
    expiration,
    hasAlias: alias !== undefined,
    height: block?.number ?? 0,
    id,
    lifetime: SENT_TTL_SECONDS,
    nonce,
    noncesLifetime: NONCES_TTL_SECONDS,
    state,
  })

  /** The record in a text. Those of earlier versions have no state, and may have been broadcast more than once. */
  function read(text: string | null): SentFactInRedis | undefined {
    if (text === null) return undefined
    const { version = 0, ...sent } = JSON.parse(text) as SentTransaction & { version?: number }
    if (sent.state === undefined)
      Object.assign(sent, { broadcasts: 2, state: sent.hex === undefined ? 'final' : 'pending' })
    onFact({ sent, version })
    return { sent, version }
  }

  /**
   * Writes a fact in one run of Redis.
   *
   * @param over - the text that it replaces; absent to restore it unless Redis has a later fact
   * @returns the version; or why it was not written: the text is another one, Redis has a later fact, or the id of the transaction that
   * has its nonce or its Ethereum hash
   */
  const put = ({ ending, sent, version }: SentFactInRedis, inRun: string, over = '') => {
    const contract = createdContract(sent.id, sent.from, sent.nonce)
    const place = { ...placeOf(sent), ...(ending && { state: 'ended' }), ...contract, version }
    const args = [inRun, JSON.stringify(place), JSON.stringify(ending ?? sent), over]
    return write(keysOf(sent), args) as Promise<number | 'changed' | 'later' | Hash>
  }

  /** Undefined when another replica has changed the record meanwhile. */
  async function tryChange(
    id: Hash,
    event: SentEvent,
    inRun: string,
  ): Promise<Changed | undefined> {
    const text = await textOf(id)
    const sent = read(text)?.sent
    const next = sent && transition(sent, event)
    if (text === null || !sent || !next) {
      await assertRun([key('run')], [inRun])
      return { changed: false, sent }
    }
    const fact = next === 'ended' ? { sent, ending: endingOf(sent, event) } : { sent: next }
    const written = await put({ ...fact, version: 0 }, inRun, text)
    if (typeof written !== 'number') return undefined
    onFact({ ...fact, version: written })
    return { changed: true, sent: next === 'ended' ? undefined : next }
  }

  async function factOf(hash: Hash): Promise<SentFactInRedis | undefined> {
    const keys = [key('alias', hash), key('tx', hash)]
    const [id, text] = await redis.run((client) => client.mget(keys))
    return read(id ? await textOf(id) : (text ?? null))
  }

  /** The first ids of a sorted set, up to a score. */
  const first = (name: string, upTo: number | string, limit: number) =>
    redis.run((client) => client.zrangebyscore(name, '-inf', upTo, 'LIMIT', 0, limit)) as Promise<
      Hash[]
    >

  return {
    async reserve({ nonce: wanted = -1, ...given }) {
      const sent = firstRecord(given, wanted)
      const { nonce: _, ...text } = sent
      const args = [run(), JSON.stringify(placeOf(sent)), JSON.stringify(text)]
      const [outcome, value, version] = (await reserve(keysOf(given), args)) as [
        Reservation['outcome'],
        string | number,
        number,
      ]
      if (outcome === 'known') return { outcome, id: value as Hash }
      if (outcome !== 'reserved') return { outcome, next: Number(value) }
      const nonce = Number(value)
      onFact({ sent: { ...sent, nonce }, version })
      return { outcome, nonce }
    },
    assertCopied: (id) => redis.assertCopied(key('tx', id)),
    async change(id, event) {
      const inRun = run()
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const result = await tryChange(id, event, inRun)
        if (result) return result
      }
      throw new Error(`the record of transaction ${id} changes all the time`)
    },
    async look(last, highest) {
      const keys = [key('run'), key('version')]
      const [found, age] = (await look(keys, [last, highest])) as [string, number]
      return { run: found, age }
    },
    async restore(fact, inRun) {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const answer = await put(fact, inRun)
        if (typeof answer === 'number' || answer === 'later') return
        const text = await textOf(answer)
        const rival = read(text)
        // Another replica has just ended it.
        if (text === null || !rival) continue
        if (rival.version > fact.version || rival.sent.state === 'final') return
        await put({ ...rival, ending: endingOf(rival.sent, END_LOST) }, inRun, text)
      }
    },
    async ending(hash) {
      const text = await redis.run((client) => client.get(key('ending', hash)))
      if (text === null) return undefined
      const { version: _, ...ending } = JSON.parse(text) as Ending & { version?: number }
      return ending
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
    factOf,
    find: async (hash) => (await factOf(hash))?.sent,
    async addContract(id) {
      const sent = read(await textOf(id))?.sent
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
  type Options = {
    /** Called with each fact that was read or written. */
    onFact?: (fact: SentFactInRedis) => void
    redis: Pick<RedisLink, 'assertCopied' | 'key' | 'run' | 'script'>
    /** The run of Redis in which alone this process may write; empty for any. */
    run?: () => string
  }
}

/** Redis is in another run than the one in which this process has restored what it knows. Nothing was written. */
export class MovedError extends StoreUnavailableError {
  constructor() {
    super(new Error('it has started again, or another server has taken its place'))
  }
}

const END_LOST: SentEvent = {
  event: 'refused',
  why: { state: 'refused', nodes: [], reason: 'Redis had lost that it was refused' },
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

/**
 * A server that was not seen before may have lost what the one before it had. Its writes are later than all of those, whenever they are
 * restored.
 *
 * KEYS: run, version. ARGV: the run and the highest version that the process knows.
 */
const LOOK = `${RUN}
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
local function put(text, version)
  if version == 0 then version = redis.call('INCR', KEYS[11]) end
  text = string.sub(text, 1, -2) .. string.format(',"version":%.0f}', version)
  redis.call('ZREM', KEYS[9], it.id)
  if it.state == 'pending' or it.state == 'mined' then
    local noncesLifetime
    if redis.call('EXISTS', KEYS[4]) == 0 then
      redis.call('DEL', KEYS[7], KEYS[8])
      if it.hasAlias then
        redis.call('SET', KEYS[5], it.id)
        redis.call('PERSIST', KEYS[6])
      elseif redis.call('EXISTS', KEYS[6]) == 0 then noncesLifetime = it.noncesLifetime end
      for i = 1, 2 do
        redis.call('ZADD', KEYS[i], it.expiration, it.id)
        redis.call('PERSIST', KEYS[i])
      end
    end
    redis.call('SET', KEYS[4], text)
    redis.call('HSET', KEYS[6], it.nonce, (it.state == 'mined' and '+' or '') .. it.id)
    if noncesLifetime then redis.call('EXPIRE', KEYS[6], noncesLifetime) end
    if it.state == 'mined' then redis.call('ZADD', KEYS[9], it.height, it.id) else lower('walked') end
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
    if redis.call('HLEN', KEYS[6]) <= 2 then redis.call('HDEL', KEYS[6], 'next', 'walked') end
    for i = 7, 8 do
      if versionOf(redis.call('GET', KEYS[i])) < version then redis.call('SET', KEYS[i], text, 'EX', it.lifetime) end
    end
    if redis.call('ZREM', KEYS[10], it.predicted .. ':' .. it.actual) == 1 then record(KEYS[10], it.predicted .. ':') end
    return version
  end
  redis.call('SET', KEYS[4], text, 'EX', it.lifetime)
  if it.hasAlias then redis.call('SET', KEYS[5], it.id, 'EX', it.lifetime) end
  local wasForever = redis.call('TTL', KEYS[3]) == -1
  local mined = tonumber(redis.call('GET', KEYS[3]) or '0')
  redis.call('HSET', KEYS[6], it.nonce, '')
  while redis.call('HGET', KEYS[6], tostring(mined)) == '' do
    redis.call('HDEL', KEYS[6], tostring(mined))
    mined = mined + 1
  end
  if redis.call('HLEN', KEYS[6]) <= 2 then redis.call('HDEL', KEYS[6], 'next', 'walked') end
  redis.call('SET', KEYS[3], mined)
  if not it.hasAlias and not wasForever then
    redis.call('EXPIRE', KEYS[3], it.noncesLifetime)
    redis.call('EXPIRE', KEYS[6], it.noncesLifetime)
  end
  return version
end
`

/** As `PUT`, for the next nonce of the sender, if the nonce of the place is that one or -1. */
const RESERVE = `${COUNT}${PUT}
local known = it.hasAlias and redis.call('GET', KEYS[5])
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
const WRITE = `${PUT}
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
  local other = it.hasAlias and redis.call('GET', KEYS[5])
  if other and other ~= it.id then return other end
end
return put(ARGV[3], it.version)
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
