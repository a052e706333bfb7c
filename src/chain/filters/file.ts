import { join } from 'node:path'

import { RpcError } from '../../lib/errors.ts'
import type { HeldBytes } from '../../lib/heldBytes.ts'
import { createJournalFile } from '../../lib/journalFile.ts'
import { lockFile } from '../../lib/lockFile.ts'
import { createMemoryFilterStore, type KeptFilter } from './memory.ts'
import type { FilterLimits, FilterStore } from './store.ts'

/**
 * Opens filters that outlive the process: in memory, and in a journal in a file. A change is on the disk before its call
 * returns. The file is locked, so one process uses it.
 *
 * @throws StoreFileError when the file cannot be used.
 */
export async function openFileFilterStore({
  folder,
  genesis,
  name,
  now = Date.now,
  ...limits
}: openFileFilterStore.Options) {
  const file = join(folder, `${name}.jsonl`)
  const fail = (cause: unknown) => new StoreFileError(name, cause)
  const unlock = await lockFile(join(folder, `${name}.lock`)).catch((cause: unknown) => {
    throw fail(cause)
  })
  const memory = createMemoryFilterStore({
    ...limits,
    now,
    onChange: (filter) => journal.append(filter),
  })
  const journal = createJournalFile<KeptFilter>({
    entries: () => memory.kept(),
    file,
    header: { ethgate: name, version: 1, genesis },
    isEntry: ({ cursor, id }) => typeof id === 'string' && typeof cursor === 'string',
    onFailure: fail,
    onHeader: () => new Error(`${file} belongs to another chain or another version`),
    onUnreadable: (place) =>
      new Error(`${place} is not readable: restore the file, or move it elsewhere`),
    restore(filters) {
      const newest = new Map<string, KeptFilter>()
      for (const filter of filters) {
        newest.delete(filter.id)
        newest.set(filter.id, filter)
      }
      const time = now()
      memory.restore([...newest.values()].filter(({ expires }) => expires > time))
    },
  })
  try {
    await journal.load()
  } catch (cause) {
    unlock()
    throw fail(cause)
  }

  const current = async () => {
    await journal.ensureLoaded()
    return memory
  }
  const store: FilterStore = {
    create: async (...args) => (await current()).create(...args),
    read: async (id) => (await current()).read(id),
    claim: async (...args) => (await current()).claim(...args),
    renew: async (...args) => (await current()).renew(...args),
    commit: async (...args) => (await current()).commit(...args),
    release: async (...args) => (await current()).release(...args),
    remove: async (id) => (await current()).remove(id),
    check: () => journal.ensureLoaded(),
    usage: () => memory.usage(),
  }
  return {
    store,
    /** Why the last write of filters failed; undefined if it did not. */
    problem: () => journal.problem(),
    async close() {
      await journal.close()
      unlock()
    },
  }
}

export declare namespace openFileFilterStore {
  type Options = FilterLimits & {
    /** The folder of the file. It is created. */
    folder: string
    /** The bytes that are held for clients. @default without a limit */
    held?: HeldBytes | undefined
    /** Hash of block 0, because cursors are valid for one chain only. */
    genesis: string
    /** The name of the file, without its ending. */
    name: string
    /** @default Date.now */
    now?: () => number
  }
}

/** `-32603`: the file cannot be read or written, so nothing was changed. */
class StoreFileError extends RpcError {
  override name = 'StoreFileError'

  constructor(name: string, cause: unknown) {
    super(-32603, `the file of ${name} in the data directory cannot be used, try again`, { cause })
  }
}
