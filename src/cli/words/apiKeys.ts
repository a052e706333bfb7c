import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { isMap, isSeq, parseDocument } from 'yaml'

import { createRedisLink } from '../../lib/redis.ts'
import { replaceFileSync } from '../../lib/replaceFile.ts'
import { stateFolder } from '../../lib/stateFolder.ts'
import { parseKeysFile, readKeysFile } from '../../limits/keysFile.ts'
import {
  createFileUsageStore,
  createRedisUsageStore,
  dayOf,
  USAGE_FILE,
  type UsageRow,
} from '../../limits/usage.ts'
import { checked, CommandError, EXIT, usageError } from '../base/errors.ts'
import type { Io } from '../base/io.ts'
import type { Terminal } from '../base/terminal.ts'
import type { Result } from '../output/result.ts'
import { renderRows } from '../output/table.ts'
import type { Task } from './command.ts'

/** Options of the words that use the API keys file. */
export type FileOptions = { apiKeys?: string }

/** Options of `ethgate api-keys create`. */
export type CreateOptions = FileOptions & {
  rate?: string
  burst?: string
  daily?: string
  expires?: string
  accounts?: string
  spend?: string
}

/** Options of `ethgate api-keys usage`. */
export type UsageOptions = { day?: string; redis?: string; redisPrefix?: string; dataDir?: string }

/** Adds a key to the file and prints it, the only time. */
export async function createKey(
  { io, options }: Task<CreateOptions>,
  name: string,
): Promise<Result> {
  const { accounts, burst, daily, expires, rate, spend } = options
  const key = `eg_${randomBytes(24).toString('base64url')}`
  const numbers = Object.entries({ rate, burst, daily, spend }).filter(
    ([, value]) => value !== undefined,
  )
  change(io, options, (keys) => {
    if (keys.items.some((item) => nameOf(item) === name))
      throw usageError(`there is already a key ${name}`)
    keys.add({
      name,
      sha256: createHash('sha256').update(key).digest('hex'),
      ...Object.fromEntries(numbers.map(([field, value]) => [field, Number(value)])),
      ...(accounts !== undefined && { accounts: accounts.split(',') }),
      ...(expires !== undefined && { expires }),
    })
  })
  return { value: { name, key }, text: () => key }
}

/** Removes a key from the file. */
export async function revokeKey({ io, options }: Task<FileOptions>, name: string): Promise<Result> {
  change(io, options, (keys) => {
    const at = keys.items.findIndex((item) => nameOf(item) === name)
    if (at === -1) throw usageError(`there is no key ${name}`)
    keys.items.splice(at, 1)
  })
  return { value: { revoked: name }, text: () => `revoked ${name}` }
}

/** Prints the keys with their limits. */
export async function listKeys({ io, options }: Task<FileOptions>): Promise<Result> {
  const keys = checked(() => readKeysFile(fileOf(io, options))).map(
    ({ accounts, contracts, expires, limits, methods, name, origins, spend }) => ({
      name,
      ...limits,
      ...(methods && { methods }),
      ...(contracts && { contracts: [...contracts] }),
      ...(origins && { origins }),
      ...(accounts && { accounts: [...accounts] }),
      ...(spend !== undefined && { spend }),
      ...(expires !== undefined && { expires: dayOf(expires) }),
    }),
  )
  const rows = keys.map(({ burst, daily, expires, methods, name, rate }) =>
    [name, rate, burst, daily, methods?.join(' '), expires].map((value) => String(value ?? '')),
  )
  const head = ['name', 'rate', 'burst', 'daily', 'methods', 'expires']
  return { value: keys, text: (terminal) => renderRows(terminal, head, rows, [1, 2, 3]) }
}

/** Prints what keys used on a day. */
export async function showUsage({ io, options }: Task<UsageOptions>): Promise<Result> {
  const day = options.day ?? dayOf(Date.now())
  if (!/^\d{4}-\d\d-\d\d$/.test(day)) throw usageError(`--day: expected a date, got "${day}"`)
  const url = options.redis ?? (io.env['ETHGATE_REDIS'] || undefined)
  const rows =
    url === undefined ? await fromFile(io, options, day) : await fromRedis(io, options, url, day)
  const value = rows.toSorted((a, b) => a.key.localeCompare(b.key) || b.cost - a.cost)
  return { value, text: (terminal) => tableOf(terminal, value) }
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
  const prefix = redisPrefix ?? (io.env['ETHGATE_REDIS_PREFIX'] || 'ethgate')
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
function change(
  io: Io,
  options: FileOptions,
  edit: (keys: ReturnType<typeof listOf>) => void,
): void {
  const path = fileOf(io, options)
  const text = existsSync(path) ? readFileSync(path, 'utf8') : 'keys: []\n'
  checked(() => parseKeysFile(text, path))
  const document = parseDocument(text)
  const keys = listOf(document.get('keys'), path)
  edit(keys)
  keys.flow = false
  const next = document.toString()
  checked(() => parseKeysFile(next, path))
  replaceFileSync(path, next, 0o600)
}

function listOf(keys: unknown, path: string) {
  if (isSeq(keys)) return keys
  throw usageError(`${path} has no list of keys`)
}

function nameOf(item: unknown): unknown {
  return isMap(item) ? item.get('name') : undefined
}

function fileOf(io: Io, { apiKeys }: FileOptions): string {
  const path = apiKeys ?? io.env['ETHGATE_API_KEYS']
  if (path) return path
  throw usageError('the API keys file is missing: give --api-keys FILE (or ETHGATE_API_KEYS)')
}
