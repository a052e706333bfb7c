import { readFileSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'

/** Where a Redis is, and how to log in. Valkey has the same addresses and commands. */
export type RedisAddress = {
  /** `sentinel`: the Sentinels name the master. `cluster`: keys are spread over several masters. */
  kind: 'single' | 'sentinel' | 'cluster'
  /** The server, the Sentinels or some servers of the cluster; empty for a Unix socket. */
  hosts: { host: string; port: number }[]
  /** The Unix socket. */
  path?: string
  /** The name by which the Sentinels know the master. */
  master?: string
  username?: string
  password?: string
  /** Login of the Sentinels, which have users of their own. */
  sentinelUsername?: string
  sentinelPassword?: string
  db: number
  /** 4 or 6 to use only addresses of that family; 0 for both. */
  family: number
  /** Present for TLS. */
  tls?: ConnectionOptions
  /** Whether a cluster spreads filters over its masters. */
  isSpread?: boolean
  /** Replicas that must confirm the record of a managed account's transaction before it is sent. */
  wait: number
}

/** Schemes, by the word before `://`. `s` after `redis` or `valkey` stands for TLS. */
const SCHEME = /^(redis|valkey)(s?)(?:\+(sentinel|cluster|unix))?$/

/** Parameters that any address may have, then those of TLS, of Sentinel and of Cluster. */
const PARAMETERS = ['db', 'family', 'wait']
const TLS_PARAMETERS = ['ca', 'cert', 'key', 'servername']
const SENTINEL_PARAMETERS = ['sentinel_username', 'sentinel_password']
const CLUSTER_PARAMETERS = ['filters']

/**
 * Reads an address:
 *
 * - `redis://[user:password@]host[:port][/db]`, `rediss://` for TLS
 * - `redis+unix://[user:password@]/path/to.sock[?db=N]`
 * - `redis+sentinel://[user:password@]host[:port],host[:port]/NAME[/db]`
 * - `redis+cluster://[user:password@]host[:port],host[:port][?filters=spread]`
 *
 * @throws Error that names the wrong part. It never contains the address, because that has the password.
 */
export function parseRedisAddress(input: string): RedisAddress {
  const [, scheme = '', authority = '', path = '', query = ''] =
    /^([a-z+]+):\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?$/.exec(input) ?? []
  const [known, , s, form] = SCHEME.exec(scheme) ?? []
  if (known === undefined)
    throw new Error(
      'expected an address such as redis://127.0.0.1:6379, rediss://, redis+unix://, redis+sentinel:// or redis+cluster://',
    )
  const isTls = s === 's'
  const isUnix = form === 'unix'
  const kind = form === 'sentinel' || form === 'cluster' ? form : 'single'
  const parameters = parametersOf(query, [
    ...PARAMETERS,
    ...(isTls ? TLS_PARAMETERS : []),
    ...(kind === 'sentinel' ? SENTINEL_PARAMETERS : []),
    ...(kind === 'cluster' ? CLUSTER_PARAMETERS : []),
  ])
  const at = authority.lastIndexOf('@')
  const login = at === -1 ? '' : authority.slice(0, at)
  const [username, password] = cut(login, ':').map((part) => decoded(part, 'user and password'))
  const hosts = hostsOf(authority.slice(at + 1), kind === 'sentinel' ? 26_379 : 6_379)
  if (isUnix && (isTls || hosts.length > 0 || path === ''))
    throw new Error('expected redis+unix:///path/to.sock, without a host and without TLS')
  if (!isUnix && hosts.length === 0) throw new Error('the host is missing')
  if (kind === 'single' && hosts.length > 1)
    throw new Error('several hosts need redis+sentinel:// or redis+cluster://')
  const rest = isUnix
    ? []
    : path
        .split('/')
        .slice(1)
        .map((part) => decoded(part, 'path'))
  const master = kind === 'sentinel' ? rest.shift() : undefined
  if (kind === 'sentinel' && !master)
    throw new Error('the name of the master is missing: expected redis+sentinel://host:26379/NAME')
  if (rest.length > 1) throw new Error('expected one database number after the last /')
  const db = numberOf(rest[0] || parameters['db'] || '0', 'database')
  if (kind === 'cluster' && db !== 0) throw new Error('a cluster has only database 0')
  const { filters } = parameters
  if (filters !== undefined && filters !== 'spread')
    throw new Error('the parameter filters has one value: spread')
  return {
    kind,
    hosts,
    ...(isUnix && { path: decoded(path, 'path') }),
    ...(master !== undefined && { master }),
    // A password alone is that of the default user.
    ...(username && { username }),
    ...(password && { password }),
    ...(parameters['sentinel_username'] && { sentinelUsername: parameters['sentinel_username'] }),
    ...(parameters['sentinel_password'] && { sentinelPassword: parameters['sentinel_password'] }),
    db,
    family: numberOf(parameters['family'] ?? '0', 'family', [0, 4, 6]),
    ...(isTls && { tls: tlsOf(parameters) }),
    ...(filters === 'spread' && { isSpread: true }),
    wait: numberOf(parameters['wait'] ?? (kind === 'single' ? '0' : '1'), 'parameter wait'),
  }
}

function parametersOf(query: string, known: readonly string[]): Record<string, string> {
  const parameters = Object.fromEntries(new URLSearchParams(query))
  const unknown = Object.keys(parameters).find((name) => !known.includes(name))
  if (unknown !== undefined)
    throw new Error(`there is no parameter ${unknown} here; there are ${known.join(', ')}`)
  return parameters
}

function hostsOf(list: string, defaultPort: number): RedisAddress['hosts'] {
  if (list === '') return []
  return list.split(',').map((text, index) => {
    const which = list.includes(',') ? `host ${index + 1}` : 'the host'
    const [, six, name = six, port] =
      /^(?:\[([\da-f:.]+)\]|([^:[\]\s]+))(?::(.*))?$/i.exec(text) ?? []
    if (name === undefined) throw new Error(`${which} is not a name or address`)
    return {
      host: name,
      port:
        port === undefined ? defaultPort : numberOf(port, `port of ${which}`, undefined, 65_535),
    }
  })
}

function numberOf(
  text: string,
  what: string,
  allowed?: readonly number[],
  most = Number.MAX_SAFE_INTEGER,
): number {
  const number = Number(text)
  if (/^\d+$/.test(text) && number <= most && (allowed?.includes(number) ?? true)) return number
  throw new Error(
    `the ${what.replace(/^the /, '')} is not ${allowed ? `one of ${allowed.join(', ')}` : 'a number in range'}`,
  )
}

function tlsOf({ ca, cert, key, servername }: Record<string, string>): ConnectionOptions {
  return {
    ...(ca && { ca: fileOf(ca, 'ca') }),
    ...(cert && { cert: fileOf(cert, 'cert') }),
    ...(key && { key: fileOf(key, 'key') }),
    ...(servername && { servername }),
  }
}

function fileOf(path: string, name: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Error(`the file of the parameter ${name} cannot be read (${code})`, { cause: error })
  }
}

function decoded(text: string, what: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Error(`the ${what} has a % that is not part of an escape such as %40`)
  }
}

/** The text before and after the first separator; the second is empty without one. */
function cut(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator)
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)]
}
