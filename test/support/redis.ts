import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Redis } from 'ioredis'

import type { RedisFilterStore } from '../../src/chain/filters/redis.ts'
import type { RedisLink } from '../../src/lib/redis.ts'
import { serversOf } from '../../src/lib/redisClient.ts'
import { freePort } from './freePort.ts'

/** The program of Redis, or of Valkey, that tests start. */
export const REDIS_SERVER = process.env['REDIS_SERVER'] ?? 'redis-server'

/** A redis-server that a test starts, stops, freezes and kills. It keeps its data over a restart. */
export type TestRedis = {
  url: string
  port: number
  /** Where it keeps its data. */
  directory: string
  start(): Promise<void>
  stop(): Promise<void>
  /** Ends it at once, as a crash does. */
  kill(): Promise<void>
  /** Freezes it (SIGSTOP), or lets it go on (SIGCONT). */
  signal(name: 'SIGCONT' | 'SIGSTOP'): void
  close(): Promise<void>
}

/** Why tests that need Redis cannot run here; undefined if they can. Skipped suites print it. */
export const redisMissing: string | undefined = hasServer()
  ? undefined
  : process.env['REDIS_URL']
    ? undefined
    : 'no REDIS_URL and no redis-server on the PATH'

/** Why tests that stop and start Redis cannot run here. */
export const redisServerMissing: string | undefined = hasServer()
  ? undefined
  : 'no redis-server on the PATH to stop and start'

/** Prints on stderr why tests are skipped. */
export function explainSkip(reason: string | undefined): void {
  if (reason !== undefined) process.stderr.write(`skipped: ${reason}\n`)
}

/** Starts a separate redis-server on a free port. `stop` keeps its data (if it is durable), `close` deletes it. `settings` as on its command line. */
export async function startRedis({
  durable = true,
  settings = [],
}: { durable?: boolean; settings?: readonly string[] } = {}): Promise<TestRedis> {
  const directory = mkdtempSync(join(tmpdir(), 'ethgate-redis-'))
  const port = await freePort()
  const url = `redis://127.0.0.1:${port}`
  let child: ChildProcess | undefined

  async function end(signal: NodeJS.Signals): Promise<void> {
    const running = child
    child = undefined
    if (!running) return
    const gone = new Promise((resolve) => running.once('exit', resolve))
    running.kill(signal)
    await gone
  }

  const redis: TestRedis = {
    url,
    port,
    directory,
    async start() {
      child = spawn(
        REDIS_SERVER,
        [
          '--port',
          String(port),
          '--bind',
          '127.0.0.1',
          '--dir',
          directory,
          '--save',
          '',
          ...(durable ? ['--appendonly', 'yes', '--appendfsync', 'always'] : []),
          ...settings,
        ],
        { stdio: 'ignore' },
      )
      await Promise.race([answers(url), failure(child)])
    },
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    signal: (name) => void child?.kill(name),
    async close() {
      await end('SIGKILL')
      rmSync(directory, { recursive: true, force: true })
    },
  }
  await redis.start()
  return redis
}

/** The Redis of `REDIS_URL`, or a new one. */
export async function someRedis(): Promise<Pick<TestRedis, 'url' | 'close'>> {
  const url = process.env['REDIS_URL']
  return url ? { url, async close() {} } : startRedis()
}

/** Makes the filters of a store older. The clock of Redis cannot be moved, so this changes lifetimes and times. */
export async function ageFilters(
  link: RedisLink,
  store: RedisFilterStore,
  milliseconds: number,
): Promise<void> {
  await store.flush()
  // The names begin with the same prefix also where each has a hash tag of its own.
  const prefix = link.key('').slice(0, -2)
  for (const server of serversOf(link.client)) await server.eval(AGE_KEYS, 0, prefix, milliseconds)
}

const AGE_KEYS = `
for _, key in ipairs(redis.call('KEYS', ARGV[1] .. '*')) do
  local kind = redis.call('TYPE', key).ok
  if kind == 'hash' then
    local lease = redis.call('HGET', key, 'until')
    if lease then redis.call('HSET', key, 'until', lease - ARGV[2]) end
  elseif kind == 'zset' then
    for _, id in ipairs(redis.call('ZRANGE', key, 0, -1)) do redis.call('ZINCRBY', key, -ARGV[2], id) end
  end
  redis.call('PEXPIRE', key, redis.call('PTTL', key) - ARGV[2])
end`

async function answers(url: string): Promise<void> {
  const client = new Redis(url, {
    lazyConnect: true,
    retryStrategy: () => 20,
    maxRetriesPerRequest: null,
  })
  client.on('error', () => {})
  await client.ping()
  client.disconnect()
}

/** Rejects when a started server ends. */
async function failure(server: ChildProcess): Promise<never> {
  const [code] = (await once(server, 'exit')) as [number | null]
  throw new Error(`redis-server ended with ${code}`)
}

function hasServer(): boolean {
  try {
    execFileSync(REDIS_SERVER, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
