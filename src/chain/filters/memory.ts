import { TooMuchHeldError } from '../../lib/bodyText.ts'
import { createHeldBytes, type HeldBytes, type Hold } from '../../lib/heldBytes.ts'
import { newId } from '../changes/id.ts'
import {
  createFullness,
  filterBytes,
  type FilterLimit,
  type FilterLimits,
  type FilterSpec,
  type FilterStore,
  overLimit,
} from './store.ts'

/** A filter with its owner and the time at which it expires, in milliseconds of the store's clock. */
export type KeptFilter = {
  id: string
  client: string
  /** The query as JSON text, which needs a third of the memory of the objects and has a known length. */
  spec: string
  cursor: string
  expires: number
}

type Entry = Omit<KeptFilter, 'id'> & {
  /** The time of expiry that was reported last. */
  reported: number
  lease?: { token: string; until: number }
}

type Use = { filters: number; bytes: number }

/** A store in memory whose filters can be kept elsewhere. */
export type MemoryFilterStore = FilterStore & {
  /** The filters that have not expired. */
  kept(): KeptFilter[]
  /** Replaces all filters. */
  restore(kept: Iterable<KeptFilter>): void
}

/** A filter that is polled without new logs is reported again after this part of its lifetime. */
const REPORT_AFTER = 0.1

/** Filters in the memory of one process. Every call takes constant time, except when it drops expired filters. */
export function createMemoryFilterStore({
  held = createHeldBytes(),
  now = () => performance.now(),
  onChange = async () => {},
  ...limits
}: createMemoryFilterStore.Options): MemoryFilterStore {
  const { bytesPerClient, bytesTotal, lease, perClient, total, ttl } = limits
  /** Filters in the order in which they expire. A poll moves its filter to the end. */
  const filters = new Map<string, Entry>()
  const clients = new Map<string, Use>()
  const all: Use = { filters: 0, bytes: 0 }
  const fullness = createFullness(limits)
  const memory = new Map<string, Hold>()

  function count({ client, spec }: Entry, sign: 1 | -1): void {
    const own = clients.get(client) ?? { filters: 0, bytes: 0 }
    for (const use of [own, all]) {
      use.filters += sign
      use.bytes += sign * filterBytes(spec)
    }
    if (own.filters > 0) clients.set(client, own)
    else clients.delete(client)
  }

  /** Adds a filter whose bytes are held. */
  function add(id: string, entry: Entry, hold: Hold): void {
    filters.set(id, entry)
    memory.set(id, hold)
    count(entry, 1)
  }

  function drop(id: string): boolean {
    const entry = filters.get(id)
    if (!entry) return false
    filters.delete(id)
    memory.get(id)?.end()
    memory.delete(id)
    count(entry, -1)
    return true
  }

  function dropExpired(): void {
    for (const [id, { expires }] of filters) {
      if (expires > now()) return
      drop(id)
    }
  }

  function find(id: string): Entry | undefined {
    dropExpired()
    return filters.get(id)
  }

  async function report(id: string, entry: Entry): Promise<void> {
    entry.reported = entry.expires
    await onChange(toKept(id, entry))
  }

  async function keepAlive(id: string, entry: Entry): Promise<void> {
    entry.expires = now() + ttl
    filters.delete(id)
    filters.set(id, entry)
    if (entry.expires - entry.reported > REPORT_AFTER * ttl) await report(id, entry)
  }

  /** The limit that another filter would exceed. */
  function limitOf(client: string, bytes: number, most: number): FilterLimit | undefined {
    const own = clients.get(client) ?? { filters: 0, bytes: 0 }
    if (all.filters >= total) return 'total'
    if (own.filters >= most) return 'perClient'
    if (own.bytes + bytes > bytesPerClient) return 'bytesPerClient'
    if (all.bytes + bytes > bytesTotal) return 'bytesTotal'
    return undefined
  }

  // An expired lease stays valid until another poll claims the page.
  function holds(entry: Entry | undefined, token: string): entry is Entry {
    return entry?.lease?.token === token
  }

  return {
    async create({ client, most = perClient }, { cursor, spec }, id = newId()) {
      if (find(id)) return id
      const text = JSON.stringify(spec)
      const limit = limitOf(client, filterBytes(text), most)
      if (limit === 'total' || limit === 'bytesTotal') fullness.refuse({ ...all })
      if (limit) throw overLimit(limit, { ...limits, perClient: most })
      const hold = held.hold(client, 'filters')
      if (!hold.take(filterBytes(text))) throw new TooMuchHeldError()
      const expires = now() + ttl
      const entry = { client, cursor, expires, reported: expires, spec: text }
      add(id, entry, hold)
      await report(id, entry)
      return id
    },
    async read(id) {
      const entry = find(id)
      return entry && { spec: JSON.parse(entry.spec) as FilterSpec, cursor: entry.cursor }
    },
    async claim(id, token, nothing) {
      const entry = find(id)
      if (!entry) return undefined
      const filter = { cursor: entry.cursor, spec: JSON.parse(entry.spec) as FilterSpec }
      const isBusy = entry.lease && entry.lease.until > now()
      const state = isBusy ? 'busy' : entry.cursor === nothing ? 'idle' : 'claimed'
      if (state === 'claimed') entry.lease = { token, until: now() + lease }
      await keepAlive(id, entry)
      return { ...filter, state }
    },
    async renew(id, token) {
      const entry = find(id)
      if (!holds(entry, token)) return false
      entry.lease = { token, until: now() + lease }
      await keepAlive(id, entry)
      return true
    },
    async commit(id, token, from, to) {
      const entry = find(id)
      if (!holds(entry, token) || entry.cursor !== from) return false
      entry.cursor = to
      delete entry.lease
      if (from !== to) await report(id, entry)
      return true
    },
    async release(id, token) {
      const entry = find(id)
      if (holds(entry, token)) delete entry.lease
    },
    async remove(id) {
      const entry = find(id)
      if (!entry) return false
      drop(id)
      await report(id, { ...entry, expires: now() })
      return true
    },
    async check() {},
    usage() {
      dropExpired()
      return { ...all, isFull: fullness.isFull(all) }
    },
    kept() {
      dropExpired()
      return [...filters].map(([id, entry]) => toKept(id, entry))
    },
    restore(kept) {
      for (const id of filters.keys()) drop(id)
      for (const { id, ...entry } of kept) {
        const hold = held.hold(entry.client, 'filters')
        hold.set(filterBytes(entry.spec))
        add(id, { ...entry, reported: entry.expires }, hold)
      }
    },
  }
}

function toKept(id: string, { client, cursor, expires, spec }: Entry): KeptFilter {
  return { id, client, spec, cursor, expires }
}

export declare namespace createMemoryFilterStore {
  type Options = FilterLimits & {
    /** The bytes that are held for clients. @default without a limit */
    held?: HeldBytes | undefined
    now?: (() => number) | undefined
    /** Called after a filter was added, moved or removed (`expires` is now), and from time to time while it is polled. The call of the store waits for it. */
    onChange?: ((filter: KeptFilter) => Promise<void>) | undefined
  }
}
