import type { Address, Hash } from 'viem'

import { type RedisLink, StoreUnavailableError } from '../lib/redis.ts'
import { createdContract } from './contracts.ts'
import { ADD_CONTRACT, COUNTS, LOOK, READ, RESERVE, WRITE } from './sentScripts.ts'
import {
  type ContractRecord,
  type Ending,
  firstRecord,
  type Release,
  type Reservation,
  type SentStore,
  type SentTransaction,
} from './sentStore.ts'
import { endingOf, type Transition, transition } from './transition.ts'

/** Ids of one command: many more would stop Redis for too long, or be more arguments than a function takes. */
const BATCH = 1_000

/** Attempts to change a record that other replicas change at the same time. Each of theirs succeeded meanwhile. */
const ATTEMPTS = 50

/**
 * A record, or how it ended, as one write left it. `version` is the number of that write. Of two facts of one transaction, and of two
 * transactions with one nonce or one Ethereum hash, the one with the higher version is later.
 */
export type SentFactInRedis = Transition & { version: number }

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
  const readIn = script(READ)
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

  /** What the scripts need of a record beside its text: all that is short. */
  const placeOf = ({ hex: _hex, intent: _intent, ...place }: SentTransaction) => place

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
    const ended = ending && { state: 'ended', ...createdContract(sent.id, sent.from, sent.nonce) }
    const place = { ...placeOf(sent), ...ended, version }
    const args = [inRun, JSON.stringify(place), JSON.stringify(ending ?? sent), over]
    return write(keysOf(sent), args) as Promise<number | 'changed' | 'later' | Hash>
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
        const text = (await readIn([key('tx', id)], [inRun])) as string | null
        const known = read(text)?.sent
        const next = known && transition(known, event)
        if (text === null || !next) return { changed: false, sent: known }
        const version = await put({ ...next, version: 0 }, inRun, text)
        // Another replica has changed the record meanwhile.
        if (typeof version !== 'number') continue
        onFact({ ...next, version })
        return { changed: true, sent: next.ending ? undefined : next.sent }
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
      await addContract([key('contracts'), key('tx', id)], [`${predicted}:${actual}`])
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

const END_LOST: Release = {
  state: 'refused',
  nodes: [],
  reason: 'Redis had lost that it was refused',
}
