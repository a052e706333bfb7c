import { readFileSync } from 'node:fs'

import type { Address } from 'viem'
import { isMap, isSeq, type Node } from 'yaml'

import { ConfigError } from '../config/config.ts'
import { origin } from '../config/values.ts'
import { entriesOf, type Fail, fieldsOf, openYaml, readScalar } from '../config/yaml.ts'
import { type ApiKey, type Limits, networksOf } from './caller.ts'
import { LARGEST_MINIMUM } from './prices.ts'

/** The limits of an entry, and how each is read. */
const LIMITS = {
  rate: number(0.001),
  burst: number(LARGEST_MINIMUM),
  daily: number(LARGEST_MINIMUM),
  concurrency: number(1),
  sockets: number(0),
  subscriptions: number(0),
  filters: number(0),
  weight: number(0.01),
} satisfies Record<keyof Limits, (text: string) => number>

const OTHERS = [
  'accounts',
  'addresses',
  'contracts',
  'expires',
  'methods',
  'name',
  'origins',
  'sha256',
  'spend',
]

/** The keys of an API keys file. @throws ConfigError naming the file, the line and the key */
export function readKeysFile(path: string): ApiKey[] {
  try {
    return parseKeysFile(readFileSync(path, 'utf8'), path)
  } catch (error) {
    if (error instanceof ConfigError) throw error
    throw new ConfigError('--api-keys', `${path} cannot be read: ${(error as Error).message}`)
  }
}

/** The keys in the text of an API keys file: `keys:`, a list. @throws ConfigError */
export function parseKeysFile(text: string, path = 'keys'): ApiKey[] {
  const { fail, root } = openYaml(text, path)
  if (root === null) return []
  if (!isMap(root)) return fail(root, '', 'expected "keys:" and a list')
  const [entry, ...more] = entriesOf(root)
  if (entry?.[0] !== 'keys' || more.length > 0)
    return fail(entry?.[2] ?? root, '', 'expected "keys:" and a list, and nothing else')
  const list = entry[1]
  if (!isSeq(list)) return fail(list, 'keys', 'expected a list')
  const names = new Set<string>()
  const hashes = new Set<string>()
  return list.items.map((item, index) => {
    const key = readKey(item as Node, `keys[${index}]`, fail)
    if (names.has(key.name))
      fail(item as Node, `keys[${index}].name`, `the name "${key.name}" is used twice`)
    if (hashes.has(key.sha256))
      fail(item as Node, `keys[${index}].sha256`, 'this key is listed twice')
    names.add(key.name)
    hashes.add(key.sha256)
    return key
  })
}

function readKey(node: Node, at: string, fail: Fail): ApiKey {
  if (!isMap(node)) return fail(node, at, 'expected a key: name, sha256 and its limits')
  const values = fieldsOf(node, at, [...OTHERS, ...Object.keys(LIMITS)], fail)
  const one = <value>(name: string, parse: (text: string) => value): value | undefined =>
    values.has(name) ? readScalar(values.get(name), `${at}.${name}`, parse, fail) : undefined
  const several = (name: string, parse: (text: string) => string): string[] | undefined => {
    const value = values.get(name)
    if (value === undefined) return undefined
    if (!isSeq(value) || value.items.length === 0)
      return fail(value, `${at}.${name}`, 'expected a list')
    return value.items.map((item) => readScalar(item as Node, `${at}.${name}`, parse, fail))
  }
  const required = (name: string, parse: (text: string) => string): string =>
    one(name, parse) ?? fail(node, `${at}.${name}`, 'is missing')
  const limits: Record<string, number> = {}
  for (const [name, parse] of Object.entries(LIMITS)) {
    const value = one(name, parse)
    if (value !== undefined) limits[name] = value
  }
  if (limits['burst'] === undefined && (limits['rate'] ?? Infinity) * 10 < LARGEST_MINIMUM)
    limits['burst'] = LARGEST_MINIMUM
  const contracts = several('contracts', account)
  const accounts = several('accounts', account)
  const addresses = several('addresses', (text) => (networksOf([text]), text))
  return {
    name: required('name', nameText),
    sha256: required('sha256', hashText),
    limits,
    methods: several('methods', methodText),
    contracts: contracts && new Set(contracts),
    accounts: accounts && new Set(accounts as Address[]),
    spend: one('spend', sun),
    origins: several('origins', origin),
    addresses: addresses && networksOf(addresses),
    expires: one('expires', date),
  }
}

function number(min: number) {
  return (text: string) => {
    const value = Number(text)
    if (text.trim() === '' || !Number.isFinite(value) || value < min)
      throw new Error(`expected a number from ${min}, got "${text}"`)
    return value
  }
}

/** A name of a key. */
function nameText(text: string): string {
  if (/^[\w.-]{1,64}$/.test(text)) return text
  throw new Error('expected up to 64 letters, digits, dots and dashes')
}

function hashText(text: string): string {
  if (/^[\da-f]{64}$/i.test(text)) return text.toLowerCase()
  throw new Error('expected the SHA-256 of a key: 64 hex digits')
}

function methodText(text: string): string {
  if (/^\w+(?:\.\w+)?\*?$/.test(text)) return text
  throw new Error(`expected a method such as eth_call or eth_get*, got "${text}"`)
}

function account(text: string): string {
  if (/^0x[\da-f]{40}$/i.test(text)) return text.toLowerCase()
  throw new Error(`expected an address such as 0x…, got "${text}"`)
}

function sun(text: string): number {
  const amount = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(amount)) return amount
  throw new Error(`expected whole sun, at most ${Number.MAX_SAFE_INTEGER}, got "${text}"`)
}

function date(text: string): number {
  const time = Date.parse(text)
  if (Number.isNaN(time)) throw new Error(`expected a date such as 2027-01-31, got "${text}"`)
  return time
}
