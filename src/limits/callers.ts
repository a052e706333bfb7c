import { createHash } from 'node:crypto'

import type { Address } from 'viem'

import { watchSettled } from '../lib/watchSettled.ts'
import { type ApiKey, type Caller, countedAddress, isInNetworks, type Limits } from './caller.ts'
import { readKeysFile } from './keysFile.ts'
import { UnauthorizedError } from './refusal.ts'
import { createSpender, type SpendingStore } from './spending.ts'

/** The parts of a request that say who calls. */
export type CallerRequest = {
  /** Address of the client, behind the trusted proxies. */
  address: string
  /** Whether the request comes from this machine, not through a proxy. */
  isLocal?: boolean
  /** The API key of the request. */
  key: string | undefined
  origin: string | undefined
}

/** Finds out who calls. Reads the API keys and watches their file. @throws ConfigError when the file is not valid */
export function createCallers({
  anonymous,
  file,
  limits,
  log,
  now = Date.now,
  spending,
}: createCallers.Options) {
  let keys = read()
  /** Callers by the keys that they gave, so that a known key is not hashed again, and by the hashes of these. */
  const known = new Map<string, Caller>()
  const byHash = new Map<string, Caller>()
  let bound = boundAccounts()
  const spenderOf = (key?: ApiKey) =>
    createSpender(key, { bound: () => bound, now, store: spending })
  const spender = spenderOf()
  const unwatch = file === undefined ? () => {} : watchSettled(file, reload)

  function read(): Map<string, ApiKey> {
    return new Map((file === undefined ? [] : readKeysFile(file)).map((key) => [key.sha256, key]))
  }

  /** The managed accounts that only the keys that name them may use. */
  function boundAccounts(): Set<Address> {
    return new Set([...keys.values()].flatMap(({ accounts }) => [...(accounts ?? [])]))
  }

  function reload() {
    try {
      keys = read()
      bound = boundAccounts()
      known.clear()
      byHash.clear()
      log.info({ keys: keys.size }, 'reloaded the API keys')
    } catch (error) {
      log.error({ err: error }, 'the API keys file is invalid; nothing was changed')
    }
  }

  function callerWith(text: string): Caller {
    const found = known.get(text)
    if (found) return found
    const key = keys.get(sha256(text))
    if (!key) throw new UnauthorizedError('the API key is not known')
    const caller = callerFor(key)
    known.set(text, caller)
    return caller
  }

  function callerFor(key: ApiKey): Caller {
    let caller = byHash.get(key.sha256)
    if (!caller) {
      caller = {
        id: `key:${key.name}`,
        scope: 'key',
        key,
        limits: key.limits,
        spender: spenderOf(key),
      }
      byHash.set(key.sha256, caller)
    }
    return caller
  }

  function requireUse({ addresses, expires, name, origins }: ApiKey, request: CallerRequest): void {
    if (expires !== undefined && now() >= expires)
      throw new UnauthorizedError(`the API key ${name} has expired`)
    if (addresses && !isInNetworks(addresses, request.address))
      throw new UnauthorizedError(`the API key ${name} may not be used from this address`)
    if (origins && (request.origin === undefined || !origins.includes(request.origin)))
      throw new UnauthorizedError(`the API key ${name} may not be used from this origin`)
  }

  return {
    /** @throws UnauthorizedError for a key that is unknown or not for this request, and without one when a key is required */
    of(request: CallerRequest): Caller {
      if (request.key === undefined || file === undefined) {
        if (!anonymous) throw new UnauthorizedError('an API key is required')
        const { address, isLocal } = request
        return { id: countedAddress(address), isLocal, scope: 'address', limits, spender }
      }
      const caller = callerWith(request.key)
      if (caller.key) requireUse(caller.key, request)
      return request.isLocal ? { ...caller, isLocal: true } : caller
    },
    /** The caller of an earlier request as the keys file has it now; with `refused` if it could not make that request any more. */
    again(caller: Caller, request: CallerRequest): Caller {
      if (!caller.key) return caller
      const key = keys.get(caller.key.sha256)
      try {
        if (!key) throw new UnauthorizedError(`the API key ${caller.key.name} was revoked`)
        requireUse(key, request)
        return request.isLocal ? { ...callerFor(key), isLocal: true } : callerFor(key)
      } catch (error) {
        return { ...caller, refused: error as UnauthorizedError }
      }
    },
    /** Reads the keys again. A file that is not valid changes nothing. */
    reload,
    stop: unwatch,
  }
}

export declare namespace createCallers {
  type Options = {
    /** Whether callers without a key are served. */
    anonymous: boolean
    /** The API keys file. */
    file: string | undefined
    /** Of each caller without a key. */
    limits: Limits
    log: {
      info(fields: object, message: string): void
      error(fields: object, message: string): void
    }
    /** Milliseconds since 1970. @default Date.now */
    now?: () => number
    /** Counts what keys spend. Absent when nothing is kept. */
    spending?: SpendingStore | undefined
  }
}

/** SHA-256 of a key, hex. */
function sha256(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}

/** The API key in the headers of a request: `Authorization: Bearer KEY` or `X-API-Key: KEY`. */
export function keyInHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): string | undefined {
  const { authorization } = headers
  if (authorization !== undefined && /^bearer /i.test(String(authorization)))
    return String(authorization).slice(7).trim()
  // A browser sends the key that it asked for as password. Other users are those of a proxy in front.
  if (authorization !== undefined && /^basic /i.test(String(authorization))) {
    const pair = Buffer.from(String(authorization).slice(6), 'base64').toString()
    if (pair.startsWith('key:')) return pair.slice(4)
  }
  // The second name is that of native libraries.
  const given = headers['x-api-key'] ?? headers['tron-pro-api-key']
  return given === undefined || given === '' ? undefined : String(given)
}

/** Splits `/k/KEY/path` into the key and the path; undefined for any other path. */
export function keyInPath(url: string): { key: string; url: string } | undefined {
  if (!url.startsWith('/k/')) return undefined
  const slash = url.indexOf('/', KEY_AT)
  const query = url.indexOf('?', KEY_AT)
  const end = slash === -1 || (query !== -1 && query < slash) ? query : slash
  if (end === -1) return url.length === KEY_AT ? undefined : { key: url.slice(KEY_AT), url: '/' }
  if (end === KEY_AT) return undefined
  const rest = url.slice(end)
  return { key: url.slice(KEY_AT, end), url: end === slash ? rest : `/${rest}` }
}

/** Where the key begins in a path. */
const KEY_AT = '/k/'.length
