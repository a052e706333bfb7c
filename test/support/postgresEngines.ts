// PostgreSQL as operators run it, as real processes: TLS, a standby, PgBouncer.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { freePort } from './freePort.ts'
import { queryAt } from './postgres.ts'
import { hasProgram, makeCertificates, settle, words } from './programs.ts'

/** The programs of the newest PostgreSQL of this machine, in the places of Debian. */
const BIN = newestBin()

/** These programs refuse to run as root. */
const user: { uid?: number; gid?: number } | undefined =
  process.getuid?.() === 0 ? idsOf('postgres') : {}

/** Why tests that start PostgreSQL cannot run here; undefined if they can. */
export const postgresServerMissing: string | undefined =
  BIN === undefined
    ? 'no PostgreSQL in /usr/lib/postgresql to start'
    : user === undefined
      ? 'PostgreSQL does not run as root, and there is no user postgres'
      : undefined

/** Why tests that need PgBouncer too cannot run here. */
export const pgbouncerMissing: string | undefined =
  postgresServerMissing ?? (hasProgram('pgbouncer') ? undefined : 'no pgbouncer on the PATH')

/** A server that a test starts and kills. */
export type TestServer = {
  port: number
  /** `127.0.0.1:PORT` */
  host: string
  query(text: string): Promise<void>
  /** Freezes its first process (SIGSTOP), the only one of PgBouncer, or lets it go on (SIGCONT). */
  signal(name: 'SIGCONT' | 'SIGSTOP'): void
  /** Ends it at once, as a crash does. */
  kill(): Promise<void>
}

/** Servers in one folder. */
export type PostgresEngines = {
  /** The authority of the servers' certificates. */
  ca: string
  startPrimary(): Promise<TestServer>
  /** A copy of a server that follows it. */
  startStandby(of: TestServer): Promise<TestServer & { promote(): Promise<void> }>
  /** PgBouncer in transaction mode in front of a server. */
  startBouncer(of: TestServer): Promise<TestServer>
  close(): Promise<void>
}

/** Prepares a folder for servers. `close` ends them. */
export function createPostgresEngines(): PostgresEngines {
  const folder = mkdtempSync(join(tmpdir(), 'ethgate-postgres-'))
  const { ca, cert, key } = makeCertificates(folder)
  const servers: TestServer[] = []
  own(folder, 0o700)
  own(key, 0o600)

  const runIn = (program: string, ...args: string[]) =>
    execFileSync(join(BIN as string, program), args, { cwd: folder, stdio: 'ignore', ...user })

  async function start(program: string, args: string[], port: number): Promise<TestServer> {
    const child: ChildProcess = spawn(program, args, { cwd: folder, stdio: 'ignore', ...user })
    const host = `127.0.0.1:${port}`
    const server: TestServer = {
      port,
      host,
      query: (text) => queryAt(`postgres://postgres@${host}/postgres`, text),
      signal: (name) => void child.kill(name),
      async kill() {
        if (child.exitCode !== null || child.signalCode !== null) return
        child.kill('SIGKILL')
        await once(child, 'exit')
      },
    }
    servers.push(server)
    await settle(() => server.query('select 1').then(() => true))
    return server
  }

  const startData = (data: string, port: number, ...settings: string[]) =>
    start(
      join(BIN as string, 'postgres'),
      [
        ...words(`-D ${data} -p ${port} -k ${folder} -c fsync=off -c ssl=on`),
        ...words(`-c ssl_cert_file=${cert} -c ssl_key_file=${key}`),
        ...settings,
      ],
      port,
    )

  return {
    ca,
    async startPrimary() {
      const data = join(folder, 'primary')
      runIn('initdb', '-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync')
      return startData(data, await freePort())
    },
    async startStandby(of) {
      const port = await freePort()
      const data = join(folder, `standby-${port}`)
      const from = `host=127.0.0.1 port=${of.port} user=postgres`
      runIn('pg_basebackup', '-D', data, '-R', '-X', 'stream', '-c', 'fast', '-d', from)
      // The settings of the primary were copied. A promoted server has no standby to wait for.
      const server = await startData(data, port, '-c', 'synchronous_standby_names=')
      return { ...server, promote: () => server.query('select pg_promote()') }
    },
    async startBouncer(of) {
      const port = await freePort()
      const file = join(folder, `pgbouncer-${port}.ini`)
      writeFileSync(
        file,
        [
          '[databases]',
          `postgres = host=127.0.0.1 port=${of.port}`,
          '[pgbouncer]',
          'listen_addr = 127.0.0.1',
          `listen_port = ${port}`,
          'unix_socket_dir =',
          'auth_type = any',
          'pool_mode = transaction',
          // Fewer than the gateway opens, so that its transactions change connections.
          'default_pool_size = 3',
        ]
          .map((line) => (line.startsWith('postgres =') ? `${line} user=postgres` : line))
          .join('\n'),
      )
      return start('pgbouncer', [file], port)
    },
    async close() {
      for (const server of servers.toReversed()) await server.kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function own(path: string, mode: number): void {
  chmodSync(path, mode)
  if (user?.uid !== undefined && user.gid !== undefined) chownSync(path, user.uid, user.gid)
}

function newestBin(): string | undefined {
  try {
    const versions = readdirSync('/usr/lib/postgresql').toSorted((a, b) => Number(b) - Number(a))
    return versions[0] && join('/usr/lib/postgresql', versions[0], 'bin')
  } catch {
    return undefined
  }
}

function idsOf(name: string): { uid: number; gid: number } | undefined {
  const id = (flag: string) => Number(execFileSync('id', [flag, name], { encoding: 'utf8' }))
  try {
    return { uid: id('-u'), gid: id('-g') }
  } catch {
    return undefined
  }
}
