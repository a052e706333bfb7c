import { mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'

import type { RedisLink } from '../lib/redis.ts'
import { replaceFileSync } from '../lib/replaceFile.ts'
import { DAY_MS } from './caller.ts'

/** Records what API keys have used: units and calls by day, key and method. */
export type Usage = ReturnType<typeof createUsage>

/** The use of one key and method on one day. */
export type UsageRow = { day: string; key: string; method: string; calls: number; cost: number }

/** Where usage is kept. */
export type UsageStore = {
  /** Adds rows to what is stored. */
  add(rows: readonly UsageRow[]): Promise<void>
  /** The rows of a day, such as `2027-01-31`. */
  read(day: string): Promise<UsageRow[]>
}

/** Collects usage and writes it every five seconds. A crash loses at most the usage of that time. */
export function createUsage({ now = Date.now, onError, store }: createUsage.Options) {
  let rows = new Map<string, UsageRow>()
  let writing: Promise<void> = Promise.resolve()
  let today = { day: '', ends: 0 }
  /** Rows of today by key and method. To find one in `rows`, a text has to be written for each call. */
  let ofToday = new Map<string, Map<string, UsageRow>>()

  /** The day of now. Writing a date takes longer than the rest of a record. */
  function dayNow(): string {
    const time = now()
    if (time >= today.ends || time < today.ends - DAY_MS) {
      today = { day: dayOf(time), ends: (Math.floor(time / DAY_MS) + 1) * DAY_MS }
      ofToday = new Map()
    }
    return today.day
  }

  function add(key: string, method: string, cost: number): void {
    const day = dayNow()
    let ofKey = ofToday.get(key)
    if (!ofKey) ofToday.set(key, (ofKey = new Map()))
    const row = ofKey.get(method)
    if (row) addUp(row, 1, cost)
    else ofKey.set(method, addTo(rows, day, key, method, 1, cost))
  }

  async function write(): Promise<void> {
    const written = rows
    if (written.size === 0) return
    rows = new Map()
    ofToday = new Map()
    try {
      await store.add([...written.values()])
    } catch (error) {
      // Kept for the next attempt.
      for (const { calls, cost, day, key, method } of written.values())
        addTo(rows, day, key, method, calls, cost)
      onError(error, 'the usage of API keys cannot be written')
    }
  }

  /** Writes one after the other: the next write includes the rows that a failed one has put back. */
  const flush = () => (writing = writing.then(write))

  const timer = setInterval(() => void flush(), FLUSH_MS)
  timer.unref()
  return {
    /** One call. */
    add,
    /** Writes what was added since the last write. */
    flush,
    async stop() {
      clearInterval(timer)
      await flush()
    },
  }
}

export declare namespace createUsage {
  type Options = {
    /** Milliseconds since 1970. @default Date.now */
    now?: () => number
    onError: (error: unknown, message: string) => void
    store: UsageStore
  }
}

/** Milliseconds between two writes. */
const FLUSH_MS = 5_000

/** The day of a time, UTC. */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}

function addTo(
  rows: Map<string, UsageRow>,
  day: string,
  key: string,
  method: string,
  calls: number,
  cost: number,
): UsageRow {
  const id = `${day} ${key} ${method}`
  let row = rows.get(id)
  if (row) addUp(row, calls, cost)
  else rows.set(id, (row = { day, key, method, calls, cost }))
  return row
}

function addUp(row: UsageRow, calls: number, cost: number): void {
  row.calls += calls
  row.cost += cost
}

/** Days for which usage is kept. */
const KEPT_DAYS = 100

/** Usage in Redis, which replicas share: a hash for each day. */
export function createRedisUsageStore({
  link,
}: {
  link: Pick<RedisLink, 'key' | 'run'>
}): UsageStore {
  return {
    async add(rows) {
      await link.run((client) => {
        // All or nothing: what fails is added again. The answers of a pipeline would have the errors of single commands.
        const commands = client.multi()
        for (const { calls, cost, day, key, method } of rows) {
          const name = link.key(`usage:${day}`)
          commands.hincrbyfloat(name, `${key} ${method} calls`, calls)
          commands.hincrbyfloat(name, `${key} ${method} cost`, cost)
          commands.expire(name, KEPT_DAYS * 86_400)
        }
        return commands.exec()
      })
    },
    async read(day) {
      const fields = await link.run((client) => client.hgetall(link.key(`usage:${day}`)))
      const rows = new Map<string, UsageRow>()
      for (const [field, value] of Object.entries(fields)) {
        const [key = '', method = '', kind] = field.split(' ')
        const isCalls = kind === 'calls'
        addTo(rows, day, key, method, isCalls ? Number(value) : 0, isCalls ? 0 : Number(value))
      }
      return [...rows.values()]
    },
  }
}

/** The file with the usage, in the data directory. */
export const USAGE_FILE = 'usage.json'

/** Usage in one file of the data directory, which is replaced as a whole. */
export function createFileUsageStore(path: string, now = Date.now): UsageStore {
  function readAll(): UsageRow[] {
    try {
      return JSON.parse(readFileSync(path, 'utf8')) as UsageRow[]
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw error
    }
  }

  return {
    async add(rows) {
      const oldest = dayOf(now() - KEPT_DAYS * DAY_MS)
      const all = new Map<string, UsageRow>()
      for (const { calls, cost, day, key, method } of [...readAll(), ...rows])
        if (day >= oldest) addTo(all, day, key, method, calls, cost)
      mkdirSync(dirname(path), { recursive: true })
      replaceFileSync(path, JSON.stringify([...all.values()]))
    },
    read: async (day) => readAll().filter((row) => row.day === day),
  }
}
