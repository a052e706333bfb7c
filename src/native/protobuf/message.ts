import { Buffer } from 'buffer'

import {
  create,
  type DescField,
  type DescMessage,
  type Message,
  ScalarType,
} from '@bufbuild/protobuf'

import { parseAddress, toBase58Address, toRpcAddress } from '../../lib/address.ts'

/** The format of byte fields: hex (`false`), or base58 addresses and plain text, as a node has them with `visible: true`. */
export type Spelling = { visible?: boolean | undefined }

type Json = Record<string, unknown>

/**
 * The message of a node's JSON. Accepts enum names and numbers, int64 as number, bigint or decimal string.
 *
 * @throws TypeError that names the field: an unknown member (a signature without it would be for another transaction), a
 * value of the wrong type, a number that is not exact or out of range
 */
export function messageFromJson(
  desc: DescMessage,
  json: unknown,
  spelling: Spelling = {},
  path = desc.name,
): Message {
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new TypeError(`${path}: expected an object`)
  const init: Json = {}
  for (const [name, value] of Object.entries(json)) {
    const field = desc.fields.find((field) => field.name === name)
    const at = `${path}.${name}`
    if (!field) throw new TypeError(`${at}: no such field`)
    if (value === undefined || value === null) continue
    if (field.fieldKind !== 'list') init[field.localName] = read(field, value, spelling, at)
    else if (!Array.isArray(value)) throw new TypeError(`${at}: expected a list`)
    else init[field.localName] = value.map((item, i) => read(field, item, spelling, `${at}[${i}]`))
  }
  // Both members of a map entry are always on the wire, zeros too.
  for (const field of desc.fields) if (hasPresence(field)) init[field.localName] ??= zero(field)
  return create(desc, init)
}

const hasPresence = (field: DescField) => field.fieldKind === 'scalar' && field.proto.proto3Optional

function zero(field: DescField): unknown {
  return field.scalar === ScalarType.STRING ? '' : 0n
}

/** The text of a byte field of a node with `visible: true`. */
export function visibleText({ name }: { name: string }, hex: string): string {
  if (isAddress(name) && hex.length === 42) return toBase58Address(toRpcAddress(hex))
  return TEXT.has(name) ? Buffer.from(hex, 'hex').toString('utf8') : hex
}

function read(field: DescField, value: unknown, spelling: Spelling, at: string): unknown {
  if (field.message) return messageFromJson(field.message, value, spelling, at)
  if (field.enum) {
    const name = ENUM_ALIASES[value as string] ?? value
    const found = field.enum.values.find((item) => item.name === name || item.number === name)
    if (found) return found.number
    if (Number.isInteger(value)) return value
    throw new TypeError(`${at}: no such ${field.enum.name}: ${String(value)}`)
  }
  if (field.scalar === ScalarType.BYTES) return readBytes(field, value, spelling, at)
  if (field.scalar === ScalarType.INT64) return readInteger(value, 64, at)
  if (field.scalar === ScalarType.INT32) return Number(readInteger(value, 32, at))
  const expected = field.scalar === ScalarType.BOOL ? 'boolean' : 'string'
  if (typeof value !== expected) throw new TypeError(`${at}: expected a ${expected}`)
  return value
}

const ENUM_ALIASES: Record<string, string> = { NATIVE_POWER: 'TRON_POWER' }

function readInteger(value: unknown, bits: number, at: string): bigint {
  const exact =
    typeof value === 'bigint' ||
    (typeof value === 'number' && Number.isSafeInteger(value)) ||
    (typeof value === 'string' && /^-?\d{1,20}$/.test(value))
  if (!exact) throw new TypeError(`${at}: expected an exact integer`)
  const integer = BigInt(value)
  if (BigInt.asIntN(bits, integer) !== integer)
    throw new TypeError(`${at}: does not fit ${bits} bits`)
  return integer
}

function readBytes(
  field: DescField,
  value: unknown,
  { visible }: Spelling,
  at: string,
): Uint8Array {
  if (typeof value !== 'string') throw new TypeError(`${at}: expected a string`)
  if (visible && TEXT.has(field.name)) return Buffer.from(value)
  const account = isAddress(field.name) ? parseAddress(value) : undefined
  // Base58, or Ethereum's format, which does not have the first byte.
  if (account) return Buffer.from(`41${account.slice(2)}`, 'hex')
  return bytesOfHex(value, at)
}

/** The bytes of a hex text. Buffer would stop at the first character that is not a digit. @throws TypeError that names `at` */
export function bytesOfHex(text: string, at: string): Buffer {
  const hex = text.replace(/^0x/i, '')
  if (hex.length % 2 || /[^\da-f]/i.test(hex)) throw new TypeError(`${at}: expected hex bytes`)
  return Buffer.from(hex, 'hex')
}

const isAddress = (name: string) => name.endsWith('_address') || name === 'address'

const TEXT = new Set([
  'abbr',
  'account_id',
  'account_name',
  'asset_name',
  'buy_token_id',
  'description',
  'first_token_id',
  'name',
  'second_token_id',
  'sell_token_id',
  'token_id',
  'update_url',
  'url',
])
