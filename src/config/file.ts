import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

import { isMap, isSeq, type Node, type YAMLMap } from 'yaml'

import { MAX_CONCURRENCY, numberedName, type Upstream } from '../native/upstream.ts'
import { type Config, ConfigError, type Option, options } from './config.ts'
import { solidityBeside } from './upstreamList.ts'
import { grpcAddress, integer, milliseconds, nodeUrl, rate, url } from './values.ts'
import { entriesOf, type Fail, fieldsOf, hintFor, openYaml, readScalar } from './yaml.ts'

/** The keys of an entry of `upstreams` and their meaning. docs/config.schema.json is generated from them. */
export const UPSTREAM_KEYS = {
  name: 'name in logs, /health and metrics; default: the host',
  url: 'base address of the node’s HTTP API (/wallet)',
  solidity:
    'base address of /walletsolidity; default: port 8091 of the same host if url has port 8090, else url',
  rpc: 'the node’s own JSON-RPC, with its path',
  grpc: 'the node’s gRPC interface, HOST:PORT or https://HOST:PORT; reads many blocks and their logs',
  headers: 'sent with every call; a value is text, {env: NAME} or {file: PATH}',
  weight: 'share of the calls among the nodes of one tier',
  tier: 'the lowest tier is used first, a higher tier only when no node below it can answer',
  rate: 'calls a second that the node allows, or unlimited; default: 900 for each operation',
  concurrency: 'largest number of calls in flight',
  timeout: 'milliseconds for one call',
} as const

/** What `url` was called before 0.5.0. */
const OLD_URL = 'wallet'

/** Other words for keys of an entry, each with the key. */
const OTHER_WORDS: Record<string, keyof typeof UPSTREAM_KEYS> = {
  http: 'url',
  jsonrpc: 'rpc',
  upstream: 'url',
  [OLD_URL]: 'url',
}

/**
 * Reads a configuration file: `upstreams`, and any option with its flag's name, without the dashes, as key.
 *
 * @throws ConfigError that names the file, the line and the key.
 */
export function readConfigFile(path: string, { env = process.env } = {}): Partial<Config> {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new ConfigError('--config', `${path} cannot be read: ${(error as Error).message}`)
  }
  return parseConfigFile(text, { directory: dirname(path), env, path })
}

/** The settings in the text of a configuration file. @throws ConfigError */
export function parseConfigFile(
  text: string,
  { directory = '.', env = {}, path = 'config' }: parseConfigFile.Options = {},
): Partial<Config> {
  const { fail, root } = openYaml(text, path)
  if (root === null) return {}
  if (!isMap(root)) return fail(root, '', 'expected options, such as "port: 8545"')
  const given: Record<string, unknown> = {}
  for (const [name, value, keyNode] of entriesOf(root)) {
    if (name === 'upstreams') {
      given['upstreams'] = readUpstreams(value, { directory, env, fail })
      continue
    }
    const key = OPTION_KEYS.get(name)
    if (key === undefined || key === 'config')
      return fail(keyNode, name, `unknown option${hintFor(name, [...OPTION_KEYS.keys()])}`)
    given[key] = readScalar<unknown>(value, name, options[key].parse, fail)
  }
  return given
}

export declare namespace parseConfigFile {
  type Options = {
    /** Base folder of relative paths in the file. @default '.' */
    directory?: string
    env?: Record<string, string | undefined>
    /** Name of the file in messages. */
    path?: string
  }
}

/** Keys of the file: flags without dashes. */
const OPTION_KEYS = new Map(
  (Object.entries(options) as [keyof typeof options, Option][]).map(([key, { flag }]) => [
    flag.slice(2),
    key,
  ]),
)

type Surroundings = {
  directory: string
  env: Record<string, string | undefined>
  fail: Fail
}

function readUpstreams(node: Node | null, context: Surroundings): Upstream[] {
  const { fail } = context
  if (!isSeq(node)) return fail(node, 'upstreams', 'expected a list of nodes')
  if (node.items.length === 0) return fail(node, 'upstreams', 'expected at least one node')
  const names = new Set<string>()
  return node.items.map((item, index) => {
    const key = `upstreams[${index}]`
    if (!isMap(item)) return fail(item as Node, key, 'expected a node, such as "url: URL"')
    const upstream = readUpstream(item, index, context)
    if (names.has(upstream.name))
      return fail(item, `${key}.name`, `"${upstream.name}" is already the name of another node`)
    names.add(upstream.name)
    return upstream
  })
}

function readUpstream(map: YAMLMap, index: number, context: Surroundings): Upstream {
  const { fail } = context
  const key = `upstreams[${index}]`
  const values = fieldsOf(map, key, [...Object.keys(UPSTREAM_KEYS), OLD_URL], fail, OTHER_WORDS)
  const urlKey = values.has(OLD_URL) ? OLD_URL : 'url'
  if (urlKey === OLD_URL && values.has('url'))
    return fail(map, `${key}.${OLD_URL}`, 'is the same as url: give one of them')
  const get = <value>(name: string, parse: (text: string) => value): value | undefined => {
    const node = values.get(name)
    return node === undefined ? undefined : readScalar(node, `${key}.${name}`, parse, fail)
  }
  const wallet = get(urlKey, nodeUrl)
  if (wallet === undefined)
    return fail(map, `${key}.url`, 'is missing: the base address of the node’s HTTP API')
  const name = get('name', nameText)
  return {
    ...(name === undefined && { clientName: numberedName(index) }),
    concurrency: get('concurrency', integer(1, MAX_CONCURRENCY)) ?? MAX_CONCURRENCY,
    grpc: get('grpc', grpcAddress),
    headers: readHeaders(values.get('headers'), `${key}.headers`, context),
    name: name ?? new URL(wallet).host,
    rate: get('rate', rate),
    rpc: get('rpc', url),
    solidity: get('solidity', nodeUrl) ?? solidityBeside(wallet),
    tier: get('tier', integer(0, 100)) ?? 0,
    timeout: get('timeout', milliseconds(1)) ?? 10_000,
    wallet,
    weight: get('weight', integer(1, 1_000)) ?? 1,
  }
}

/** Reads a value: text, or the name of an environment variable or a file, so that the file contains no API key. */
function readHeaders(
  node: Node | null | undefined,
  key: string,
  { directory, env, fail }: Surroundings,
): Record<string, string> {
  if (node === undefined) return {}
  if (!isMap(node)) return fail(node, key, 'expected names and values')
  const headers: Record<string, string> = {}
  for (const [name, value, keyNode] of entriesOf(node)) {
    const at = `${key}.${name}`
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) fail(keyNode, at, 'is not the name of a header')
    headers[name.toLowerCase()] = isMap(value)
      ? fetched(value, at)
      : readScalar(value, at, headerText, fail)
  }
  return headers

  function fetched(map: YAMLMap, at: string): string {
    const [entry, ...more] = entriesOf(map)
    if (!entry || more.length > 0) return fail(map, at, 'expected {env: NAME} or {file: PATH}')
    const [source, value] = entry
    const name = readScalar(value, `${at}.${source}`, (text) => text, fail)
    if (source === 'env')
      return env[name] || fail(map, `${at}.env`, `the environment variable ${name} is not set`)
    if (source !== 'file') return fail(map, at, 'expected {env: NAME} or {file: PATH}')
    try {
      return headerText(readFileSync(resolve(directory, name), 'utf8').trim())
    } catch (error) {
      return fail(map, `${at}.file`, `${name} cannot be used: ${(error as Error).message}`)
    }
  }
}

function nameText(text: string): string {
  if (/^[\w.:-]{1,64}$/.test(text)) return text
  throw new Error('expected up to 64 letters, digits, dots, colons and dashes')
}

function headerText(text: string): string {
  if (/^[^\r\n]+$/.test(text)) return text
  throw new Error('expected one line')
}
