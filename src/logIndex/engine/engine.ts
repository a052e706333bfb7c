/**
 * The storage of a log index: ordered tables of bytes. One search and one writer run on both engines, so what an
 * engine must do is small: read many keys, read a range in order, and commit all or nothing.
 */
export type Engine = {
  readonly kind: 'lmdb' | 'postgres'
  /** Logs in one row of `logs`: what the engine reads and stores best. */
  readonly logsPerPack: number
  /** Runs reads on one snapshot. */
  read<result>(run: (view: View) => Promise<result>): Promise<result>
  /**
   * Runs a transaction: durable when it resolves, rolled back when it throws. Writers of all processes run one after
   * another, so what `run` reads stays true until it commits. `run` must not wait for anything but the transaction itself.
   */
  write<result>(run: (batch: Batch) => Promise<result>): Promise<result>
  /**
   * Frees unused space. An embedded file never shrinks, and other processes may have it open, so a compact copy
   * is written into another directory instead.
   *
   * @returns bytes on disk then: those of the copy where one was written
   */
  compact(into?: string): Promise<number>
  /** Bytes on disk. */
  size(): Promise<number>
  close(): Promise<void>
}

/** The tables of a log index: what is covered, posting lists, the logs themselves, claims of work, and facts about the index. */
const TABLES = ['segments', 'postings', 'logs', 'claims', 'facts'] as const

/** The tables of a store of blocks: blocks, the heights of transactions, when each row was last used, and facts. */
const BLOCK_TABLES = ['blocks', 'heights', 'uses', 'facts'] as const

/** The name of a table. */
export type Table = (typeof TABLES | typeof BLOCK_TABLES)[number]

/** What an engine stores, and where. */
export type Layout = {
  tables: readonly Table[]
  /** The name of the file in the directory. */
  file: string
  /** The schema in PostgreSQL, unless the address names another with `?schema=`. */
  schema: string
  /** Its name in messages. */
  name: string
}

/** A log index. */
export const INDEX_LAYOUT: Layout = {
  tables: TABLES,
  file: 'log-index.lmdb',
  schema: 'ethgate_index',
  name: 'log index',
}

/** A store of blocks. */
export const BLOCKS_LAYOUT: Layout = {
  tables: BLOCK_TABLES,
  file: 'blocks.lmdb',
  schema: 'ethgate_blocks',
  name: 'store of blocks',
}

/** A row: its key and its value. */
export type Entry = { key: Buffer; value: Buffer }

/** Reads of one snapshot. Buffers are the caller's, except those of `each`. */
export type View = {
  /** Values in the order of the keys; undefined where there is none. */
  get(table: Table, keys: readonly Buffer[]): Promise<(Buffer | undefined)[]>
  /** Calls back for each key, in their order, with its value. The bytes of the value may change after the call. */
  each(
    table: Table,
    keys: readonly Buffer[],
    visit: (value: Buffer | undefined, index: number) => void,
  ): Promise<void>
  /** Entries in the order of their keys, the start included, the end not; at most `limit`. */
  range(table: Table, range: KeyRange): Promise<Entry[]>
}

/** Keys from `from` up to, but without, `to`; at most `limit` of them. */
export type KeyRange = { from: Buffer; to: Buffer; limit?: number }

/** A transaction: it reads what it wrote. */
export type Batch = View & {
  /** Writes a small number of rows. Replaces rows with the same key. */
  put(table: Table, entries: readonly Entry[]): Promise<void>
  /** Adds a large number of rows, sorted by key, whose keys are all new. */
  insert(table: Table, entries: readonly Entry[]): Promise<void>
  delete(table: Table, keys: readonly Buffer[]): Promise<void>
  /** Deletes a range, the start included, the end not. */
  deleteRange(table: Table, range: { from: Buffer; to: Buffer }): Promise<void>
}

/** An index cannot be opened or read. The message is for the operator. */
export class IndexError extends Error {
  override name = 'IndexError'
}
