import { availableParallelism } from 'node:os'

import { parseRedisAddress } from '../lib/redisAddress.ts'

// Readers of option values. Each throws an Error that says what was expected. It never contains an address: that may have a key.

/** Any text. */
export const text = (input: string) => input

/** Printable text of a number of characters. */
export const words = (min: number, max: number) => (input: string) => {
  if (input.length >= min && input.length <= max && /^[\P{C}]+$/u.test(input)) return input
  throw new TypeError(
    `expected ${min} to ${max} printable characters, got ${JSON.stringify(input)}`,
  )
}

/** Creates the reader of an option that is one of some words. */
export function oneOf<const word extends string>(...words: readonly word[]) {
  return (input: string): word => {
    const found = words.find((one) => one === input)
    if (found !== undefined) return found
    throw new Error(`expected one of ${words.join(', ')}, got "${input}"`)
  }
}

/** An HTTP header, `name: value`. */
export function header(input: string): string {
  if (/^[\w!#$%&'*+.^`|~-]+:[^\r\n]+$/.test(input)) return input
  throw new Error('expected a header such as "x-api-key: 0123"')
}

/** An origin as browsers send it: `https://app.example`, or `capacitor://localhost` of an app. */
export function origin(input: string): string {
  if (isOrigin(input)) return input
  throw new Error(`expected an origin such as https://app.example, got "${input}"`)
}

/** `*`, or web origins separated by commas. */
export function origins(input: string): string {
  const list = input.split(',').map((origin) => origin.trim())
  if (input === '*' || list.every(isOrigin)) return list.join(',')
  throw new Error(`expected * or origins such as https://app.example, got "${input}"`)
}

function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { host, origin, protocol } = new URL(text)
  // The parser knows no origin for the schemes of apps and extensions.
  return text === (origin === 'null' ? `${protocol}//${host}` : origin)
}

/** `*`, or names and addresses without ports, separated by commas. */
export function hosts(input: string): string {
  const list = input.split(',').map((name) => name.trim().toLowerCase())
  if (input === '*' || list.every((name) => /^[\w.-]+$|^[\da-f:.]+$/.test(name)))
    return list.join(',')
  throw new Error(`expected * or names such as rpc.example, without ports, got "${input}"`)
}

/** A switch: present on the command line, or `true` or `false` in the environment. */
export function flag(input: string): boolean {
  if (/^(?:true|1|yes|on)$/i.test(input)) return true
  if (/^(?:false|0|no|off)$/i.test(input)) return false
  throw new Error(`expected true or false, got "${input}"`)
}

/** The address of a Redis. */
export function redisUrl(input: string): string {
  parseRedisAddress(input)
  return input
}

/** An http(s) address, without a trailing slash. */
export function url(input: string): string {
  const parsed = URL.canParse(input) ? new URL(input) : undefined
  if (parsed?.username || parsed?.password)
    throw new Error('expected an address without user and password: give them as a header')
  if (!parsed || !/^https?:$/.test(parsed.protocol))
    throw new Error('expected an http(s) URL such as http://127.0.0.1:8090')
  return withoutSlash(input)
}

/** An address whose path does not end with a slash. A query may: it may be a key in base64. */
export const withoutSlash = (address: string): string =>
  address.replace(/^([^?#]*?)\/+(?=[?#]|$)/, '$1')

/** The base address of a node's HTTP API. */
export function nodeUrl(input: string): string {
  const address = url(input)
  const [, part] = /(\/(?:wallet|walletsolidity|jsonrpc))$/.exec(new URL(address).pathname) ?? []
  if (part === undefined) return address
  throw new Error(`expected the base address of the node: leave out "${part}"`)
}

/** One or more base addresses of nodes, separated by spaces. */
export const nodeUrls = (input: string): string => each(input, nodeUrl)

function each(input: string, parse: (part: string) => string): string {
  return input.split(/\s+/).filter(Boolean).map(parse).join(' ')
}

/** The address of a gRPC interface: `HOST:PORT`, or `https://HOST:PORT` for TLS. The result has a scheme. */
export function grpcAddress(input: string): string {
  const full = /^https?:\/\//.test(input) ? input : `http://${input}`
  const parsed = URL.canParse(full) ? new URL(full) : undefined
  const isPlain = parsed && /^https?:\/\/[^/?#@]+:\d+\/?$/.test(full)
  if (!isPlain) throw new Error('expected HOST:PORT, or https://HOST:PORT for TLS')
  return full.replace(/\/$/, '')
}

/** One or more such addresses, `auto` or `off`, separated by spaces. */
export const grpcAddresses = (input: string): string => each(input, orGuess(grpcAddress))

/** The same for addresses of JSON-RPC. */
export const rpcAddresses = (input: string): string => each(input, orGuess(url))

const orGuess = (parse: (part: string) => string) => (part: string) =>
  part === 'auto' || part === 'off' ? part : parse(part)

/** Calls a second, or `unlimited`. */
export function rate(input: string): number | 'unlimited' {
  return input === 'unlimited' ? input : integer(1)(input)
}

/** A whole number from `min` to `max`, inclusive. */
export function integer(min: number, max = Number.MAX_SAFE_INTEGER) {
  return (input: string) => {
    const number = Number(input)
    if (!/^\d+$/.test(input) || number < min || number > max)
      throw new Error(`expected a whole number from ${min} to ${max}, got "${input}"`)
    return number
  }
}

/** The most milliseconds of an option. A timer takes at most 2^31 - 1; longer ones end at once. The rest is room for what is added. */
export const MOST_MS = 2_000_000_000

/** Milliseconds from `min` to {@link MOST_MS}. */
export const milliseconds = (min: number) => integer(min, MOST_MS)

/** A number of workers, or `auto`: the cores that this process may use. */
export function workers(input: string): number {
  return input === 'auto' ? availableParallelism() : integer(1, 256)(input)
}

/** A number above zero. */
export function positive(input: string): number {
  const number = Number(input)
  if (/^\d+(?:\.\d+)?$/.test(input) && number > 0) return number
  throw new Error(`expected a number above 0, got "${input}"`)
}

/** A share from 0 to 1. */
export function share(input: string): number {
  const number = Number(input)
  if (!/^(\d+(\.\d*)?|\.\d+)$/.test(input) || number > 1)
    throw new Error(`expected a share from 0 to 1 such as 0.01, got "${input}"`)
  return number
}

/** Bytes of a mebibyte. */
export const MIB = 1024 * 1024
