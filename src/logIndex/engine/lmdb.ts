import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { type Database, open, type RootDatabase } from 'lmdb'

import { createQueue } from '../../lib/queue.ts'
import type { Batch, Engine, Entry, Layout, Table, View } from './engine.ts'

/** First size of the memory map. LMDB grows it as needed. */
const MAP_BYTES = 1024 ** 3

type Bytes = Database<Buffer, Buffer>

/** The library takes the options of `get` here too; its types do not say so. */
type Lookup = {
  getBinaryFast(key: Buffer, options?: Parameters<Bytes['get']>[1]): Buffer | undefined
}

/**
 * The embedded engine: one memory-mapped file in a directory of this machine. Several processes may open it; a network file
 * system is not supported.
 */
export function createLmdbEngine({ directory, layout }: createLmdbEngine.Options): Engine {
  const path = join(directory, layout.file)
  const root: RootDatabase<Buffer, Buffer> = open({
    path,
    encoding: 'binary',
    keyEncoding: 'binary',
    mapSize: MAP_BYTES,
    maxDbs: layout.tables.length + 1,
    maxReaders: 256,
    noSubdir: true,
    // With it, `close` never ends after the writer was killed between commit and sync: the library then
    // waits for a state that only another write brings.
    overlappingSync: false,
  })
  const tables = Object.fromEntries(
    layout.tables.map((name) => [
      name,
      root.openDB({ name, encoding: 'binary', keyEncoding: 'binary' }),
    ]),
  ) as Record<Table, Bytes>

  /** Reads in a transaction. Without one, reads the newest state, which only writers of this thread can change. */
  function viewOf(options: { transaction?: ReturnType<Bytes['useReadTransaction']> }): View {
    return {
      async get(table, keys) {
        const from: Lookup = tables[table]
        return keys.map((key) => {
          const value = from.getBinaryFast(key, options)
          return value && copyOf(value)
        })
      },
      async each(table, keys, visit) {
        const from: Lookup = tables[table]
        // The library reads every value into the same buffer. Copies took a fifth of a search.
        keys.forEach((key, index) => visit(from.getBinaryFast(key, options), index))
      },
      async range(table, { from, limit, to }) {
        const entries: Entry[] = []
        const found = tables[table].getRange({
          start: from,
          end: to,
          ...(limit !== undefined && { limit }),
          ...options,
        })
        for (const { key, value } of found) entries.push({ key: Buffer.from(key), value })
        return entries
      },
    }
  }

  async function put(table: Table, entries: readonly Entry[]): Promise<void> {
    const to = tables[table]
    for (const { key, value } of entries) to.putSync(key, value)
  }

  /** Writers of this thread run one after another. Those of other threads and processes wait for the file lock. */
  const queue = createQueue()

  const batch: Batch = {
    ...viewOf({}),
    insert: put,
    put,
    async delete(table, keys) {
      const from = tables[table]
      for (const key of keys) from.removeSync(key)
    },
    async deleteRange(table, { from, to }) {
      const database = tables[table]
      // Collected first: removing an entry under a cursor breaks the cursor.
      const keys = Array.from(database.getKeys({ start: from, end: to }), (key) => Buffer.from(key))
      for (const key of keys) database.removeSync(key)
    },
  }

  return {
    kind: 'lmdb',
    logsPerPack: LOGS_PER_PACK,
    async read(run) {
      // Otherwise reads share a snapshot that may be older than the last write.
      root.resetReadTxn()
      const transaction = tables.facts.useReadTransaction()
      try {
        return await run(viewOf({ transaction }))
      } finally {
        transaction.done()
      }
    },
    write: (run) => queue(() => root.transactionSync(() => run(batch))),
    async compact(into) {
      if (into === undefined) return bytesIn(path)
      await mkdir(into, { recursive: true })
      const copy = join(into, layout.file)
      await root.backup(copy, true)
      return bytesIn(copy)
    },
    size: () => bytesIn(path),
    close: () => root.close(),
  }
}

/** A pack of 16 logs of usual size stays below half a page of the file, so it is stored inside of the tree. */
const LOGS_PER_PACK = 16

/** Bytes on disk of a file. */
async function bytesIn(path: string): Promise<number> {
  const { blocks } = await stat(path)
  // Allocated blocks of 512 bytes: the file is sparse.
  return blocks * 512
}

/** Values up to so many bytes are copied by a loop, which is faster for them. */
const SHORT_VALUE = 128

/** A copy of a value that the library read into its own buffer. Its own copy took as long as finding the value. */
function copyOf(value: Buffer): Buffer {
  const { length } = value
  const copy = Buffer.allocUnsafe(length)
  // The buffer is longer than it says.
  if (length > SHORT_VALUE) copy.set(new Uint8Array(value.buffer, value.byteOffset, length))
  else for (let at = 0; at < length; at++) copy[at] = value[at] as number
  return copy
}

export declare namespace createLmdbEngine {
  type Options = {
    /** Created when it does not exist. */
    directory: string
    layout: Layout
  }
}
