import { userInfo } from 'node:os'

import pg from 'pg'

/** The server of all suites. Each suite has a separate schema. */
const url = process.env['POSTGRES_URL'] ?? `postgres://${userInfo().username}@127.0.0.1:5432/test`

/** Why tests that need PostgreSQL cannot run here; undefined if they can. Skipped suites print it. */
export const postgresMissing: string | undefined = await query('select 1').then(
  () => undefined,
  (error: unknown) => `no PostgreSQL at ${url} (POSTGRES_URL): ${(error as Error).message}`,
)

let count = 0

/** A separate index in PostgreSQL. `drop` deletes it. */
export function somePostgresIndex(): { url: string; drop: () => Promise<void> } {
  const schema = `test_${process.pid}_${Date.now().toString(36)}_${count++}`
  return {
    url: `${url}?schema=${schema}`,
    drop: () => query(`drop schema if exists "${schema}" cascade`),
  }
}

function query(text: string): Promise<void> {
  return queryAt(url, text)
}

/** Runs one statement over a connection of its own. */
export async function queryAt(connectionString: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 2_000 })
  // The query reports a lost connection.
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query(text)
  } finally {
    await client.end()
  }
}
