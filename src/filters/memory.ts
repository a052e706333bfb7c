import { LimitExceededError } from '../errors.ts'
import { newId } from './id.ts'
import type { FilterLimits, FilterStore, StoredFilter } from './store.ts'

type Entry = StoredFilter & {
  client: string
  expires: number
  lease?: { token: string; until: number }
}

/** Filters of one process. */
export function createMemoryFilterStore({
  lease,
  now = Date.now,
  perClient,
  total,
  ttl,
}: createMemoryFilterStore.Options): FilterStore {
  const filters = new Map<string, Entry>()

  function find(id: string): Entry | undefined {
    const entry = filters.get(id)
    if (entry && entry.expires > now()) return entry
    filters.delete(id)
    return undefined
  }

  // A lease that has run out still holds until another poll has taken the page.
  function holds(entry: Entry | undefined, token: string): entry is Entry {
    return entry?.lease?.token === token
  }

  return {
    async create(client, filter) {
      for (const id of filters.keys()) find(id)
      if (filters.size >= total) throw tooMany(total)
      const own = [...filters.values()].filter((entry) => entry.client === client).length
      if (own >= perClient) throw tooManyOfClient(perClient)
      const id = newId()
      filters.set(id, { ...filter, client, expires: now() + ttl })
      return id
    },
    async read(id) {
      const entry = find(id)
      return entry && { spec: entry.spec, cursor: entry.cursor }
    },
    async take(id, token, nothing) {
      const entry = find(id)
      if (!entry) return undefined
      const { cursor, spec } = entry
      entry.expires = now() + ttl
      if (entry.lease && entry.lease.until > now()) return { cursor, spec, state: 'busy' }
      if (cursor === nothing) return { cursor, spec, state: 'idle' }
      entry.lease = { token, until: now() + lease }
      return { cursor, spec, state: 'taken' }
    },
    async extend(id, token) {
      const entry = find(id)
      if (!holds(entry, token)) return false
      entry.lease = { token, until: now() + lease }
      entry.expires = now() + ttl
      return true
    },
    async move(id, token, from, to) {
      const entry = find(id)
      if (!holds(entry, token) || entry.cursor !== from) return false
      entry.cursor = to
      delete entry.lease
      return true
    },
    async release(id, token) {
      const entry = find(id)
      if (holds(entry, token)) delete entry.lease
    },
    async remove(id) {
      return find(id) !== undefined && filters.delete(id)
    },
  }
}

export declare namespace createMemoryFilterStore {
  type Options = FilterLimits & { now?: (() => number) | undefined }
}

export function tooMany(limit: number): LimitExceededError {
  return new LimitExceededError(`exceed max filters: ${limit}, try again later`)
}

export function tooManyOfClient(limit: number): LimitExceededError {
  return new LimitExceededError(`exceed max filters of one client: ${limit}`)
}
