import { createHash } from 'node:crypto'
import { userInfo } from 'node:os'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'

import { type Batch, type Engine, type Entry, TABLES, type Table, type View } from './engine.ts'
import { copyChunks } from './postgresCopy.ts'

/** The schema that holds an index unless the address names another with `?schema=`. */
const DEFAULT_SCHEMA = 'ethgate_index'

/** Pages of 8 logs stay below 2 KB, above which PostgreSQL moves a value out of its row. */
const LOGS_PER_PAGE = 8

/** Rows above which COPY is faster than INSERT. */
const COPY_FROM = 64

type Row = { k: Buffer; v: Buffer }

/** The shared engine: a PostgreSQL server, or one that speaks its protocol. Several replicas fill and search one index. */
export async function createPostgresEngine({
  connections = 4,
  url,
}: createPostgresEngine.Options): Promise<Engine> {
  const { connectionString, schema } = parse(url)
  // As in psql, the default is the name of the operating system's user.
  pg.defaults.user ??= userInfo().username
  const pool = new pg.Pool({
    connectionString,
    max: connections,
    // The planner has no statistics for a new table.
    options: '-c enable_seqscan=off -c jit=off',
  })
  // The pool replaces a connection that breaks while idle. One that breaks in use fails its query.
  pool.on('error', () => {})
  const name = (table: Table) => `"${schema}"."${table}"`
  /** The number of the index's advisory lock, which is held until a transaction ends. */
  const lock = createHash('sha256').update(schema).digest().readBigInt64BE(0).toString()

  async function within<result>(
    begin: string,
    run: (client: pg.PoolClient) => Promise<result>,
  ): Promise<result> {
    const client = await pool.connect()
    try {
      await client.query(begin)
      const result = await run(client)
      await client.query('commit')
      client.release()
      return result
    } catch (error) {
      const isUsable = await client.query('rollback').then(
        () => true,
        () => false,
      )
      client.release(!isUsable)
      throw error
    }
  }

  function viewOf(client: pg.PoolClient): View {
    async function get(table: Table, keys: readonly Buffer[]): Promise<(Buffer | undefined)[]> {
      if (keys.length === 0) return []
      const { rows } = await client.query<Row>({
        name: `get ${table}`,
        text: `select k, v from ${name(table)} where k = any($1::bytea[])`,
        values: [keys],
      })
      const found = new Map(rows.map(({ k, v }) => [k.toString('latin1'), v]))
      return keys.map((key) => found.get(key.toString('latin1')))
    }

    return {
      get,
      async each(table, keys, visit) {
        for (const [index, value] of (await get(table, keys)).entries()) visit(value, index)
      },
      async range(table, { from, limit, to }) {
        const { rows } = await client.query<Row>({
          name: `range ${table}`,
          text: `select k, v from ${name(table)} where k >= $1 and k < $2 order by k limit $3`,
          values: [from, to, limit ?? null],
        })
        return rows.map(({ k, v }) => ({ key: k, value: v }))
      },
    }
  }

  function batchOf(client: pg.PoolClient): Batch {
    async function put(table: Table, entries: readonly Entry[]): Promise<void> {
      if (entries.length === 0) return
      await client.query(
        `insert into ${name(table)} (k, v) select * from unnest($1::bytea[], $2::bytea[])
         on conflict (k) do update set v = excluded.v`,
        [entries.map(({ key }) => key), entries.map(({ value }) => value)],
      )
    }
    return {
      ...viewOf(client),
      put,
      async insert(table, entries) {
        if (entries.length < COPY_FROM) return put(table, entries)
        const copy = client.query(copyFrom(`copy ${name(table)} (k, v) from stdin binary`))
        return pipeline(Readable.from(copyChunks(entries)), copy)
      },
      async delete(table, keys) {
        if (keys.length > 0)
          await client.query(`delete from ${name(table)} where k = any($1::bytea[])`, [keys])
      },
      async deleteRange(table, { from, to }) {
        await client.query(`delete from ${name(table)} where k >= $1 and k < $2`, [from, to])
      },
    }
  }

  /** Creates what is missing. An index that exists is not touched: `alter table` would wait for every search, and stop all others. */
  async function create(): Promise<void> {
    await within('begin', async (client) => {
      if (await exists(client)) return
      await client.query(`select pg_advisory_xact_lock(${lock})`)
      await client.query(`create schema if not exists "${schema}"`)
      for (const table of TABLES) {
        await client.query(
          `create table if not exists ${name(table)} (k bytea primary key, v bytea not null)`,
        )
        // Posting lists are as small as they get; compressing long ones only takes time.
        await client.query(`alter table ${name(table)} alter column v set storage external`)
      }
    })
  }

  async function exists(client: pg.PoolClient): Promise<boolean> {
    const { rows } = await client.query<{ count: number }>(
      'select count(*)::int as count from pg_tables where schemaname = $1 and tablename = any($2)',
      [schema, TABLES],
    )
    return rows[0]?.count === TABLES.length
  }

  try {
    await create()
  } catch (error) {
    await pool.end()
    throw error
  }

  async function size(): Promise<number> {
    const { rows } = await pool.query<{ bytes: string }>(
      'select coalesce(sum(pg_total_relation_size(oid)), 0) as bytes from pg_class where relnamespace = $1::regnamespace and relkind = $2',
      [`"${schema}"`, 'r'],
    )
    return Number(rows[0]?.bytes ?? 0)
  }

  return {
    kind: 'postgres',
    logsPerPage: LOGS_PER_PAGE,
    read: (run) =>
      within('begin isolation level repeatable read read only', (client) => run(viewOf(client))),
    write: (run) =>
      within('begin', async (client) => {
        await client.query(`select pg_advisory_xact_lock(${lock})`)
        return run(batchOf(client))
      }),
    async compact() {
      for (const table of TABLES) await pool.query(`vacuum (full, analyze) ${name(table)}`)
      return size()
    },
    size,
    close: () => pool.end(),
  }
}

export declare namespace createPostgresEngine {
  type Options = {
    /** `postgres://user:password@host:port/database?schema=name`; `schema` is `ethgate_index` by default. */
    url: string
    /** Connections of this process's part. @default 4 */
    connections?: number
  }
}

function parse(url: string): { connectionString: string; schema: string } {
  const parsed = new URL(url)
  const schema = parsed.searchParams.get('schema') ?? DEFAULT_SCHEMA
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema))
    throw new Error(`schema=${schema}: expected lower-case letters, digits and _`)
  parsed.searchParams.delete('schema')
  return { connectionString: parsed.href, schema }
}
