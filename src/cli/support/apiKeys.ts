import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { isMap, isSeq, parseDocument } from 'yaml'

import { createRedisLink } from '../../lib/redis.ts'
import { parseKeysFile, readKeysFile } from '../../limits/keysFile.ts'
import {
  createFileUsageStore,
  createRedisUsageStore,
  dayOf,
  USAGE_FILE,
  type UsageRow,
} from '../../limits/usage.ts'
import { stateFolder } from '../../sending/openSentStore.ts'
import { checked, CommandError, EXIT, usageError } from './errors.ts'
import type { Io } from './io.ts'
import { stringify } from './json.ts'
import { renderRows } from './table.ts'
import { createTerminal, type Terminal } from './terminal.ts'

type Options = { json?: boolean; table?: boolean; apiKeys?: string }

/** Adds a key to the file and prints it, the only time. */
export async function createKey(
  io: Io,
  name: string,
  options: Options & { rate?: string; burst?: string; daily?: string; expires?: string },
): Promise<void> {
  const terminal = createTerminal(options, io)
  const { burst, daily, expires, rate } = options
  const key = `eg_${randomBytes(24).toString('base64url')}`
  const numbers = Object.entries({ rate, burst, daily }).filter(([, value]) => value !== undefined)
  change(io, options, (keys) => {
    if (keys.items.some((item) => nameOf(item) === name))
      throw usageError(`there is already a key ${name}`)
    keys.add({
      name,
      sha256: createHash('sha256').update(key).digest('hex'),
      ...Object.fromEntries(numbers.map(([field, value]) => [field, Number(value)])),
      ...(expires !== undefined && { expires }),
    })
  })
  await terminal.print(terminal.mode === 'json' ? stringify({ name, key }) : key)
}

/** Removes a key from the file. */
export async function revokeKey(io: Io, name: string, options: Options): Promise<void> {
  const terminal = createTerminal(options, io)
  change(io, options, (keys) => {
    const at = keys.items.findIndex((item) => nameOf(item) === name)
    if (at === -1) throw usageError(`there is no key ${name}`)
    keys.items.splice(at, 1)
  })
  await terminal.print(terminal.mode === 'json' ? stringify({ revoked: name }) : `revoked ${name}`)
}

/** Prints the keys with their limits. */
export async function listKeys(io: Io, options: Options): Promise<void> {
  const terminal = createTerminal(options, io)
  const keys = checked(() => readKeysFile(fileOf(io, options))).map(
    ({ contracts, expires, limits, methods, name, origins }) => ({
      name,
      ...limits,
      ...(methods && { methods }),
      ...(contracts && { contracts: [...contracts] }),
      ...(origins && { origins }),
      ...(expires !== undefined && { expires: dayOf(expires) }),
    }),
  )
  if (terminal.mode === 'json') return terminal.print(stringify(keys))
  const rows = keys.map(({ burst, daily, expires, methods, name, rate }) =>
    [name, rate, burst, daily, methods?.join(' '), expires].map((value) => String(value ?? '')),
  )
  const head = ['name', 'rate', 'burst', 'daily', 'methods', 'expires']
  return terminal.print(renderRows(terminal, head, rows, [1, 2, 3]))
}

/** Prints what keys used on a day. */
export async function showUsage(
  io: Io,
  options: Options & { day?: string; redis?: string; redisPrefix?: string; dataDir?: string },
): Promise<void> {
  const terminal = createTerminal(options, io)
  const day = options.day ?? dayOf(Date.now())
  if (!/^\d{4}-\d\d-\d\d$/.test(day)) throw usageError(`--day: expected a date, got "${day}"`)
  const url = options.redis ?? (io.env['ETHGATE_REDIS'] || undefined)
  const rows =
    url === undefined ? await fromFile(io, options, day) : await fromRedis(io, options, url, day)
  const sorted = rows.toSorted((a, b) => a.key.localeCompare(b.key) || b.cost - a.cost)
  await terminal.print(terminal.mode === 'json' ? stringify(sorted) : tableOf(terminal, sorted))
}

function tableOf(terminal: Terminal, rows: readonly UsageRow[]): string {
  if (rows.length === 0) return terminal.dim('no calls with an API key')
  return renderRows(
    terminal,
    ['key', 'method', 'calls', 'units'],
    rows.map(({ calls, cost, key, method }) => [key, method, String(calls), cost.toFixed(2)]),
    [2, 3],
  )
}

async function fromFile(
  io: Io,
  { dataDir }: { dataDir?: string },
  day: string,
): Promise<UsageRow[]> {
  const folder = stateFolder(dataDir ?? (io.env['ETHGATE_DATA_DIR'] || undefined))
  return folder === undefined ? [] : createFileUsageStore(join(folder, USAGE_FILE)).read(day)
}

async function fromRedis(
  io: Io,
  { redisPrefix }: { redisPrefix?: string },
  url: string,
  day: string,
): Promise<UsageRow[]> {
  const prefix = (io.env['ETHGATE_REDIS_PREFIX'] || undefined) ?? redisPrefix ?? 'ethgate'
  const link = createRedisLink({ prefix: `${prefix}:limits`, url })
  try {
    await new Promise<void>((resolve, reject) => {
      link.client.once('ready', resolve)
      link.client.once('error', reject)
    })
    return await createRedisUsageStore({ link }).read(day)
  } catch (cause) {
    throw new CommandError('Redis is unreachable', { cause, exitCode: EXIT.unreachable })
  } finally {
    await link.close()
  }
}

/** Changes the list of the file, keeping its comments. Writes nothing that a gateway could not read. */
function change(io: Io, options: Options, edit: (keys: ReturnType<typeof listOf>) => void): void {
  const path = fileOf(io, options)
  const text = existsSync(path) ? readFileSync(path, 'utf8') : 'keys: []\n'
  checked(() => parseKeysFile(text, path))
  const document = parseDocument(text)
  const keys = listOf(document.get('keys'), path)
  edit(keys)
  keys.flow = false
  const next = document.toString()
  checked(() => parseKeysFile(next, path))
  writeFileSync(`${path}.new`, next, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

function listOf(keys: unknown, path: string) {
  if (isSeq(keys)) return keys
  throw usageError(`${path} has no list of keys`)
}

function nameOf(item: unknown): unknown {
  return isMap(item) ? item.get('name') : undefined
}

function fileOf(io: Io, { apiKeys }: Options): string {
  const path = apiKeys ?? io.env['ETHGATE_API_KEYS']
  if (path) return path
  throw usageError('the API keys file is missing: give --api-keys FILE (or ETHGATE_API_KEYS)')
}
