import { readFileSync } from 'node:fs'

import type { Address } from 'viem'

import { RpcError } from '../lib/errors.ts'
import { lockFile } from '../lib/lockFile.ts'
import type { RedisLink } from '../lib/redis.ts'
import { replaceFileSync } from '../lib/replaceFile.ts'
import type { Spender } from '../lib/spender.ts'
import { type ApiKey, DAY_MS } from './caller.ts'
import { SpendingLimitError } from './refusal.ts'

/** Counts the sun that each API key has spent today. */
export type SpendingStore = {
  /**
   * Adds an amount if the sum of the day then is at most `limit`. The new sum is durable when this resolves. All are sun and
   * at most 2^53 - 1.
   *
   * @param once - the hash of a transaction that may be counted by several requests: only the largest of their amounts is added.
   */
  add(key: string, amount: number, limit: number, once?: string): Promise<Spent>
  close(): Promise<void>
}

/** `spent`: sun of the day, with the amount if it was added. */
type Spent = { isAdded: boolean; spent: number }

/** What a caller may do with managed accounts. @param bound - the accounts that API keys name */
export function createSpender(
  key: ApiKey | undefined,
  { bound, now, store }: createSpender.Options,
): Spender {
  return {
    mayUse(account) {
      const address = account.toLowerCase() as Address
      return key?.accounts ? key.accounts.has(address) : !bound().has(address)
    },
    async spend(cost, once) {
      if (key?.spend === undefined) return
      const { name, spend } = key
      if (!store)
        throw new RpcError(
          -32603,
          `what the API key ${name} spends cannot be counted: the gateway needs --redis or a --data-dir`,
        )
      const amount = await cost()
      // An amount above every limit may be too large for a number.
      const counted = amount > BigInt(spend) ? spend + 1 : Number(amount)
      const { isAdded, spent } = await store.add(name, counted, spend, once)
      if (!isAdded) throw new SpendingLimitError(name, { amount, limit: spend, now: now(), spent })
    },
  }
}

export declare namespace createSpender {
  type Options = {
    bound: () => ReadonlySet<Address>
    /** Milliseconds since 1970. */
    now: () => number
    /** Absent when nothing is kept. */
    store: SpendingStore | undefined
  }
}

/** Counts in Redis, which replicas share, by its clock. */
export function createRedisSpendingStore({
  link,
}: {
  link: Pick<RedisLink, 'key' | 'script'>
}): SpendingStore {
  const run = link.script(ADD)
  return {
    async add(key, amount, limit, once) {
      const keys = [link.key(`spent:${key}`)]
      if (once !== undefined) keys.push(link.key(`spent:${key}:${once}`))
      const answer = (await run(keys, [amount, limit])) as [number, string]
      return { isAdded: answer[0] === 1, spent: Number(answer[1]) }
    },
    async close() {},
  }
}

/** Milliseconds in which requests for one transaction count once: much longer than it can be mined. */
const ONCE_MS = 600_000

/**
 * KEYS: the API key, and a transaction that counts once. ARGV: amount, limit. Sums are exact, because a sum above 2^53 exceeds every
 * limit.
 */
const ADD = `
local day = math.floor(redis.call('TIME')[1] / ${DAY_MS / 1_000})
local kept = redis.call('HMGET', KEYS[1], 'day', 'sun')
local spent = tonumber(kept[1] or '-1') == day and tonumber(kept[2]) or 0
local counted = KEYS[2] and tonumber(redis.call('GET', KEYS[2]) or '0') or 0
local more = math.max(0, tonumber(ARGV[1]) - counted)
if spent + more > tonumber(ARGV[2]) then return { 0, ('%.0f'):format(spent) } end
if KEYS[2] and more > 0 then redis.call('SET', KEYS[2], ARGV[1], 'PX', ${ONCE_MS}) end
spent = ('%.0f'):format(spent + more)
redis.call('HSET', KEYS[1], 'day', day, 'sun', spent)
redis.call('EXPIRE', KEYS[1], ${(2 * DAY_MS) / 1_000})
return { 1, spent }`

/** The file with what API keys have spent, in the data directory. */
export const SPENDING_FILE = 'spent.json'

/** Counts in one file, which is replaced as a whole. One process at a time uses it: the file beside it is locked. */
export function createFileSpendingStore(path: string, now = Date.now): SpendingStore {
  let locked: Promise<() => void> | undefined
  /** The amounts of transactions that count once, and until when they are kept. The oldest are first. */
  const counted = new Map<string, { amount: number; until: number }>()

  /** Locks the file once. After a failure the next call tries again. */
  function lock(): Promise<() => void> {
    locked ??= lockFile(`${path}.lock`).catch((error: unknown) => {
      locked = undefined
      throw error
    })
    return locked
  }

  /** Between reading and writing nothing else runs. */
  function add(key: string, amount: number, limit: number, once: string): Spent {
    for (const [oldest, { until }] of counted) {
      if (until > now()) break
      counted.delete(oldest)
    }
    const name = `${key} ${once}`
    const more = Math.max(0, amount - (counted.get(name)?.amount ?? 0))
    const day = Math.floor(now() / DAY_MS)
    const kept = read(path)
    const sums = new Map(kept.day === day ? kept.sums : [])
    const spent = sums.get(key) ?? 0
    if (spent + more > limit) return { isAdded: false, spent }
    sums.set(key, spent + more)
    const next: Kept = { day, sums: [...sums] }
    replaceFileSync(path, JSON.stringify(next), 0o600)
    if (once && more > 0) counted.set(name, { amount, until: now() + ONCE_MS })
    return { isAdded: true, spent: spent + more }
  }

  return {
    async add(key, amount, limit, once = '') {
      try {
        await lock()
        return add(key, amount, limit, once)
      } catch (cause) {
        throw new RpcError(-32603, 'what API keys spend cannot be recorded', { cause })
      }
    },
    close: async () => (await locked)?.(),
  }
}

/** The content of the file: the day since 1970, and the sun of each key by its name. */
type Kept = { day: number; sums: [key: string, sun: number][] }

function read(path: string): Kept {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Kept
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { day: 0, sums: [] }
    throw error
  }
}
