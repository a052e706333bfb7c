import { userInfo } from 'node:os'

import pg from 'pg'

/** The server that suites use; each takes a schema of its own. */
const url = process.env['POSTGRES_URL'] ?? `postgres://${userInfo().username}@127.0.0.1:5432/test`

/** Why tests that need PostgreSQL cannot run here; undefined when they can. Printed by those who skip. */
export const postgresMissing: string | undefined = await query('select 1').then(
  () => undefined,
  (error: unknown) => `no PostgreSQL at ${url} (POSTGRES_URL): ${(error as Error).message}`,
)

let count = 0

/** An index of the test's own in PostgreSQL. `drop` deletes it. */
export function somePostgresIndex(): { url: string; drop(): Promise<void> } {
  const schema = `test_${process.pid}_${Date.now().toString(36)}_${count++}`
  return {
    url: `${url}?schema=${schema}`,
    drop: () => query(`drop schema if exists "${schema}" cascade`),
  }
}

async function query(text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
  // A server that goes away is told by the query.
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query(text)
  } finally {
    await client.end()
  }
}
