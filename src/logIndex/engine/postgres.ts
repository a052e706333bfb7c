import { createHash } from 'node:crypto'
import { userInfo } from 'node:os'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'

import type { Batch, Engine, Entry, Layout, Table, View } from './engine.ts'
import { copyChunks } from './postgresCopy.ts'

/** Packs of 8 logs stay below 2 KB, above which PostgreSQL moves a value out of its row. */
const LOGS_PER_PACK = 8

/** Rows above which COPY is faster than INSERT. */
const COPY_FROM = 64

type Row = { k: Buffer; v: Buffer }

/** The longest time of one SQL statement, milliseconds. A search has less time, and joining segments takes less. */
const READ_TIMEOUT = 30_000
const WRITE_TIMEOUT = 600_000

/** Milliseconds to connect, and to begin a transaction while there is another server. */
const CONNECT_TIMEOUT = 5_000

/** How long the other servers are tried first after a server has failed, milliseconds. */
const AVOIDED = 5_000

/** What the planner has no statistics for in a new table. For one transaction, because a pooler shares its connections. */
const PLANNER = 'set local enable_seqscan = off; set local jit = off'

/** One server of the address. */
type Server = { pool: pg.Pool; failedAt: number }

/** The kind of server that a transaction needs. */
type Wanted = 'any' | 'primary' | 'standby'

/** The shared engine: a PostgreSQL server, or one that speaks its protocol. Several replicas fill and search one index. */
export async function createPostgresEngine({
  connections = 4,
  isWriter = false,
  layout,
  mustExist = false,
  url,
}: createPostgresEngine.Options): Promise<Engine> {
  const { connectionStrings, prefersStandby, isPooled, schema } = parsePostgresAddress(
    url,
    layout.schema,
  )
  // As in psql, the default is the name of the operating system's user.
  pg.defaults.user ??= userInfo().username
  const servers = connectionStrings.map((connectionString): Server => {
    const pool = new pg.Pool({
      connectionString,
      connectionTimeoutMillis: CONNECT_TIMEOUT,
      max: connections,
      // A machine that vanished never answers.
      query_timeout: (isWriter ? WRITE_TIMEOUT : READ_TIMEOUT) + CONNECT_TIMEOUT,
    })
    // The pool replaces a connection that breaks while idle. One that breaks in use fails its query, or the next one of its
    // transaction if it breaks between two.
    pool.on('error', () => {})
    pool.on('connect', (client) => client.on('error', () => {}))
    return { pool, failedAt: Number.NEGATIVE_INFINITY }
  })
  /** Where the last transaction ran: it is asked first. */
  let last = servers[0] as Server
  const name = (table: Table) => `"${schema}"."${table}"`
  /** The number of the index's advisory lock, which is held until a transaction ends. */
  const lock = createHash('sha256').update(schema).digest().readBigInt64BE(0).toString()

  const BEGIN = {
    read: `begin isolation level repeatable read read only; ${PLANNER}; set local statement_timeout = ${READ_TIMEOUT}`,
    // With searches on standbys, a commit waits until the synchronous ones show it.
    write: `begin; ${PLANNER}; set local statement_timeout = ${WRITE_TIMEOUT}${prefersStandby ? '; set local synchronous_commit = remote_apply' : ''}`,
  }

  /** Servers in the order in which they are asked. A standby is only preferred, so one that has just failed is not asked. */
  function inOrder(wanted: Wanted): Server[] {
    const rests = (server: Server) => performance.now() - server.failedAt < AVOIDED
    const rank = (server: Server) => (rests(server) ? 2 : server === last ? 0 : 1)
    return servers
      .filter((server) => wanted !== 'standby' || !rests(server))
      .toSorted((a, b) => rank(a) - rank(b))
  }

  /** Begins a transaction on the first server that is `wanted`. @throws the failure of the last server that was asked */
  async function begin(kind: keyof typeof BEGIN, wanted: Wanted) {
    let failure: unknown = new Error(`no ${wanted} among the servers`)
    const asked = inOrder(wanted)
    for (const [place, server] of asked.entries()) {
      const isLast = place === asked.length - 1 && wanted !== 'standby'
      let client: pg.PoolClient | undefined
      try {
        client = await server.pool.connect()
        // One answer for each statement. They do no work, so only a pooler whose server does not answer is late.
        const answers = (await client.query({
          text: `${BEGIN[kind]}${servers.length > 1 ? '; select pg_is_in_recovery() as standby' : ''}`,
          ...(!isLast && { query_timeout: CONNECT_TIMEOUT }),
        })) as unknown as pg.QueryResult<{ standby: boolean }>[]
        const isStandby = answers.at(-1)?.rows[0]?.standby
        if (wanted === 'any' || isStandby === undefined || isStandby === (wanted === 'standby')) {
          last = server
          return client
        }
        await client.query('rollback')
        client.release()
      } catch (error) {
        client?.release(true)
        server.failedAt = performance.now()
        failure = error
      }
    }
    throw failure
  }

  async function transact<result>(
    kind: keyof typeof BEGIN,
    run: (client: pg.PoolClient) => Promise<result>,
  ): Promise<result> {
    const client =
      kind === 'read' && prefersStandby && !isWriter
        ? await begin(kind, 'standby').catch(() => begin(kind, 'any'))
        : await begin(kind, 'primary')
    let result: result
    try {
      result = await run(client)
      await client.query('commit')
    } catch (error) {
      const isUsable =
        !isLost(error) &&
        (await client.query('rollback').then(
          () => true,
          () => false,
        ))
      client.release(!isUsable)
      throw error
    }
    client.release()
    return result
  }

  function viewOf(client: pg.PoolClient): View {
    async function get(table: Table, keys: readonly Buffer[]): Promise<(Buffer | undefined)[]> {
      if (keys.length === 0) return []
      const { rows } = await client.query<Row>({
        ...(!isPooled && { name: `get ${table}` }),
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
          ...(!isPooled && { name: `range ${table}` }),
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
    if (await transact('read', exists)) return
    if (mustExist) throw new Error(`the schema ${schema} contains no ${layout.name}`)
    await transact('write', async (client) => {
      await client.query(`select pg_advisory_xact_lock(${lock})`)
      await client.query(`create schema if not exists "${schema}"`)
      for (const table of layout.tables) {
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
      [schema, layout.tables],
    )
    return rows[0]?.count === layout.tables.length
  }

  async function close(): Promise<void> {
    await Promise.all(servers.map(({ pool }) => pool.end()))
  }

  try {
    await create()
  } catch (error) {
    await close()
    throw error
  }

  const size = () => transact('read', sizeIn)

  async function sizeIn(client: pg.PoolClient): Promise<number> {
    const { rows } = await client.query<{ bytes: string }>(
      'select coalesce(sum(pg_total_relation_size(oid)), 0) as bytes from pg_class where relnamespace = $1::regnamespace and relkind = $2',
      [`"${schema}"`, 'r'],
    )
    return Number(rows[0]?.bytes ?? 0)
  }

  return {
    kind: 'postgres',
    logsPerPack: LOGS_PER_PACK,
    read: (run) => transact('read', (client) => run(viewOf(client))),
    write: (run) =>
      transact('write', async (client) => {
        await client.query(`select pg_advisory_xact_lock(${lock})`)
        return run(batchOf(client))
      }),
    async compact() {
      // Outside a transaction, on the server that has just had one as the primary.
      await transact('write', async () => {})
      for (const table of layout.tables)
        await last.pool.query(untimed(`vacuum (full, analyze) ${name(table)}`))
      return size()
    },
    size,
    close,
  }
}

export declare namespace createPostgresEngine {
  type Options = {
    /** An address that `parsePostgresAddress` reads. */
    url: string
    layout: Layout
    /** Connections of this process's part. @default 4 */
    connections?: number
    /** Whether an index that does not exist is an error instead of created. @default false */
    mustExist?: boolean
    /** Whether this is the engine of a writer, which never reads from a standby. @default false */
    isWriter?: boolean
  }
}

/** A statement without a limit of time but that of the server: the longest that a timer can wait. */
const untimed = (text: string) => ({ text, query_timeout: 2 ** 31 - 1 })

/** Whether a connection must not be used again: its server has become a standby, ends, or does not answer. */
function isLost(error: unknown): boolean {
  const { code, message } = error as Error & { code?: string }
  return code === '25006' || code?.startsWith('57P') === true || message === 'Query read timeout'
}

/**
 * Reads `postgres://[user:password@]host[:port][,host…]/database?…`. The parameters of `pg` go to it (`sslmode`, `sslrootcert`,
 * `sslcert`, `sslkey`, `application_name`). These are of the gateway: `schema`, `pgbouncer=true` for a pooler that shares connections between
 * transactions, and `target_session_attrs`: `primary` (default), or `prefer-standby` for searches.
 *
 * @throws Error that names the wrong part, without the password
 */
function parsePostgresAddress(url: string, defaultSchema: string) {
  const parts = /^postgres(?:ql)?:\/\/((?:[^/?#]*@)?)([^/?#]*)([^?#]*)(?:\?([^#]*))?$/i.exec(url)
  if (!parts) throw new Error('the address has a #; in a password it is %23')
  const [, login = '', hosts = '', path = '', query = ''] = parts
  const parameters = new URLSearchParams(query)
  const take = (name: string, fallback: string) => {
    const value = parameters.get(name) ?? fallback
    parameters.delete(name)
    return value
  }
  const schema = take('schema', defaultSchema)
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema))
    throw new Error(`schema=${schema}: expected lower-case letters, digits and _`)
  const target = take('target_session_attrs', 'primary')
  if (!['primary', 'read-write', 'prefer-standby'].includes(target))
    throw new Error(`target_session_attrs=${target}: expected primary or prefer-standby`)
  const pooled = take('pgbouncer', 'false')
  if (!['true', 'false'].includes(pooled))
    throw new Error(`pgbouncer=${pooled}: expected true or false`)
  return {
    connectionStrings: hosts.split(',').map((host, index) => {
      const text = `postgres://${login}${host}${path}?${parameters.toString()}`
      if (host !== '' && !URL.canParse(text))
        throw new Error(
          `host ${index + 1} is not a name or address with a port; in a password / is %2F, ? is %3F`,
        )
      return text
    }),
    isPooled: pooled === 'true',
    prefersStandby: target === 'prefer-standby',
    schema,
  }
}
