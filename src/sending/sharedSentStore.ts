import { LRUCache } from 'lru-cache'

import { type RedisLink, StoreUnavailableError } from '../lib/redis.ts'
import { sleep } from '../lib/sleep.ts'
import { watchRedis } from '../lib/watchRedis.ts'
import { createRedisSentStore, MovedError, type SentFactInRedis } from './redisSentStore.ts'
import { hashesOf, type SentStore } from './sentStore.ts'

/** Maximum number of bytes of the last facts. Each counts for both of the hashes that find it. */
const MAX_BYTES = 2 * 16 * 1024 * 1024

/** Bytes of a fact beside the signed bytes, roughly. */
const OVERHEAD = 1_000

/**
 * Milliseconds for which a fact is kept: much longer than a transaction can be mined, and much shorter than Redis keeps it. This process
 * counts them, and does not look at the time of the chain, because the clock of the machine may be wrong.
 */
const KEPT = 60 * 60_000

/** Milliseconds between looks at whether another server has taken the place of the one before: less than replicas wait to restore. */
const LOOK_EVERY = 1_000

/** Milliseconds in which replicas notice that Redis has started again, and record again what it has lost. */
const RESTORE = 3_000

/** Facts that are restored at the same time. */
const BATCH = 500

/** The store of all replicas, as one of them uses it. */
export type SharedSentStore = SentStore & {
  /** Resolves with the run of Redis in which all replicas have restored what they know. */
  settled(): Promise<string>
  close(): void
}

/**
 * The store in Redis, which loses nothing that this process has written or read.
 *
 * A Redis that crashed may have lost its last writes, and a server that takes the place of another one what was not copied to it. What it
 * has lost is the end of one history, in which each write has a number. So every process keeps the last facts, and whenever Redis is in
 * another run it first records those again that are later than what Redis has, in any order. Then it waits until the run is so old that the
 * others have done so too. A write names the run that it is for, and Redis refuses it in any other.
 *
 * While Redis is unavailable, transactions that this process knows are found. Everything else is an error then, because other replicas
 * may have sent more.
 */
export function createSharedSentStore({
  redis,
  watch = (look) => watchRedis(redis, LOOK_EVERY, (isConnected) => void look(isConnected)),
  wait = (age) => sleep(Math.max(0, RESTORE - age), undefined, { ref: false }),
}: createSharedSentStore.Options): SharedSentStore {
  /** By native id and by Ethereum hash. */
  const facts = new LRUCache<string, SentFactInRedis>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ sent: { hex = '' } }) => hex.length + OVERHEAD,
    ttl: KEPT,
  })
  /** The run of the server (`run_id` of INFO) in which this process has restored its facts. */
  let current: { run: string; settled: Promise<unknown> } | undefined
  let entering: Promise<void> | undefined
  /** The highest version of a fact. */
  let highest = 0

  const store = createRedisSentStore({ onFact: keep, redis, run: () => current?.run ?? '' })

  function keep(fact: SentFactInRedis): void {
    highest = Math.max(highest, fact.version)
    for (const hash of hashesOf(fact.sent))
      if (fact.version > (facts.get(hash)?.version ?? -1)) facts.set(hash, fact)
  }

  const enter = (isConnected = false) =>
    (entering ??= look(isConnected).finally(() => (entering = undefined)))

  async function look(isConnected: boolean): Promise<void> {
    const { age, run } = await store.look(current?.run ?? '', highest)
    // Where Redis does not say, every connection may lead to another run.
    if (run === current?.run && (run !== '' || !isConnected)) return
    await restore(run)
    current = { run, settled: wait(age, run) }
  }

  async function restore(run: string): Promise<void> {
    const known = [...new Set(facts.values())]
    for (let start = 0; start < known.length; start += BATCH)
      await Promise.all(known.slice(start, start + BATCH).map((fact) => restoreOne(fact, run)))
  }

  async function restoreOne(fact: SentFactInRedis, run: string): Promise<void> {
    await store.restore(fact, run)
    if (fact.sent.creates && !fact.ending) await store.addContract(fact.sent.id)
  }

  async function settled(): Promise<string> {
    if (!current) await enter()
    await entering?.catch(() => {})
    for (let last: typeof current; last !== current;) {
      last = current
      await last?.settled
    }
    return current?.run ?? ''
  }

  /** A write in a run in which everything is restored. */
  async function write<answer>(operation: () => Promise<answer>): Promise<answer> {
    const run = await settled()
    const answer = await operation()
    await entering?.catch(() => {})
    // The answer came after this process has restored what it knew before.
    if (current && current.run !== run) {
      await restore(current.run)
      await current.settled
    }
    return answer
  }

  // The next look tries again, or the next write.
  const lookQuietly = (isConnected?: boolean) => enter(isConnected).catch(() => {})
  void lookQuietly()
  const close = watch(lookQuietly)

  return {
    ...store,
    settled,
    reserve: (sent) => write(() => store.reserve(sent)),
    async change(id, event) {
      for (;;)
        try {
          return await write(() => store.change(id, event))
        } catch (error) {
          if (!(error instanceof MovedError)) throw error
          await enter()
        }
    },
    async find(hash) {
      await entering?.catch(() => {})
      const known = facts.get(hash)
      try {
        const found = await store.factOf(hash)
        if (!known || known.ending || (found && found.version >= known.version)) return found?.sent
        // Somebody else has ended it, or Redis has lost it without an end, as when it evicts keys.
        await store.restore(known, current?.run ?? '')
        return await store.find(hash)
      } catch (error) {
        if (known && !known.ending && error instanceof StoreUnavailableError) return known.sent
        throw error
      }
    },
    close,
  }
}

export declare namespace createSharedSentStore {
  type Options = {
    redis: Pick<RedisLink, 'assertCopied' | 'key' | 'onStatus' | 'run' | 'script'>
    /** Calls a function whenever another server may have taken the place of the one before. Returns what ends this. */
    watch?: (look: (isConnected?: boolean) => Promise<void>) => () => void
    /** Resolves when the others have restored what they know in a run of an age in milliseconds. */
    wait?: (age: number, run: string) => Promise<unknown>
  }
}
