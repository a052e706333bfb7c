import { keccak_256 } from '@noble/hashes/sha3.js'
import type { Hash } from 'viem'

import { isObject } from '../lib/isObject.ts'

/** EIP-712 data with unchecked members. */
export type TypedData = {
  types: Record<string, unknown>
  primaryType: string
  domain: unknown
  message: unknown
}

type Field = { name: string; type: string }

/** Maximum number of fields of all types together, and of values: more than any wallet could show. */
const MAX_FIELDS = 1_000
const MAX_VALUES = 10_000
/** Maximum number of bytes of all texts and byte strings together. */
const MAX_BYTES = 128 * 1024
/** Maximum number of characters of a name, or of a type with its brackets. */
const MAX_NAME = 128
const MAX_DEPTH = 32

/**
 * The hash to sign for EIP-712 data. Types and values are checked while they are read: only own members count, no value is
 * converted, and numbers, depth and length are limited.
 *
 * @throws Error that names the member and the expected value.
 */
export function hashTypedData({ domain, message, primaryType, types }: TypedData): Hash {
  const structs = readTypes(types, domain)
  const encoder = createEncoder(structs)
  if (!structs.has(primaryType))
    throw new Error(`primaryType: there is no type ${quote(primaryType)}`)
  const parts = [Buffer.from('1901', 'hex'), encoder.struct('EIP712Domain', domain, 'domain', 0)]
  if (primaryType !== 'EIP712Domain') parts.push(encoder.struct(primaryType, message, 'message', 0))
  return `0x${Buffer.from(keccak_256(Buffer.concat(parts))).toString('hex')}`
}

/** The members of a domain, in the order of its type. */
const DOMAIN: readonly Field[] = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
  { name: 'salt', type: 'bytes32' },
]

function readTypes(types: Record<string, unknown>, domain: unknown): Map<string, Field[]> {
  const structs = new Map<string, Field[]>()
  let count = 0
  for (const [name, fields] of Object.entries(types)) {
    const at = `types.${name.slice(0, MAX_NAME)}`
    if (!NAME.test(name) || name.length > MAX_NAME) throw new Error(`${at}: not a name of a type`)
    if (!Array.isArray(fields)) throw new Error(`${at}: expected a list of fields`)
    count += fields.length
    if (count > MAX_FIELDS || structs.size > MAX_FIELDS)
      throw new Error(`types: more than ${MAX_FIELDS} fields`)
    structs.set(
      name,
      fields.map((field: unknown, index) => readField(field, `${at}[${index}]`)),
    )
  }
  if (!structs.has('EIP712Domain'))
    structs.set(
      'EIP712Domain',
      DOMAIN.filter(({ name }) => isObject(domain) && own(domain, name) !== undefined),
    )
  for (const [name, fields] of structs)
    for (const { name: field, type } of fields) {
      const base = baseOf(type)
      if (!structs.has(base) && !isAtom(base))
        throw new Error(`types.${name}.${field}: there is no type ${quote(base)}`)
    }
  return structs
}

function readField(field: unknown, at: string): Field {
  const name = isObject(field) ? own(field, 'name') : undefined
  const type = isObject(field) ? own(field, 'type') : undefined
  if (typeof name !== 'string' || !NAME.test(name) || name.length > MAX_NAME)
    throw new Error(`${at}: expected a field with a name`)
  if (typeof type !== 'string' || !TYPE.test(type) || type.length > MAX_NAME)
    throw new Error(`${at}: expected a field with a type`)
  return { name, type }
}

function createEncoder(structs: Map<string, Field[]>) {
  const typeHashes = new Map<string, Buffer>()
  let values = 0
  let bytes = 0

  function typeHash(name: string): Buffer {
    const known = typeHashes.get(name)
    if (known) return known
    const needed = new Set<string>()
    const add = (type: string) => {
      if (!structs.has(type) || needed.has(type)) return
      needed.add(type)
      for (const field of structs.get(type) ?? []) add(baseOf(field.type))
    }
    add(name)
    needed.delete(name)
    const text = [name, ...[...needed].toSorted()]
      .map((type) => `${type}(${(structs.get(type) ?? []).map(spell).join(',')})`)
      .join('')
    const hash = keccak(Buffer.from(text))
    typeHashes.set(name, hash)
    return hash
  }

  function hashed(content: Buffer): Buffer {
    bytes += content.length
    if (bytes > MAX_BYTES) throw new Error(`more than ${MAX_BYTES} bytes of text and byte strings`)
    return keccak(content)
  }

  function struct(name: string, value: unknown, at: string, depth: number): Buffer {
    if (depth > MAX_DEPTH) throw new Error(`deeper than ${MAX_DEPTH} levels`)
    if (!isObject(value)) throw new Error(`${at}: expected an object (${name})`)
    const fields = structs.get(name) ?? []
    const words = fields.map((field) =>
      encode(field.type, own(value, field.name), `${at}.${field.name}`, depth + 1),
    )
    return keccak(Buffer.concat([typeHash(name), ...words]))
  }

  /** Encodes a value as one word. */
  function encode(type: string, value: unknown, at: string, depth: number): Buffer {
    values += 1
    if (values > MAX_VALUES) throw new Error(`more than ${MAX_VALUES} values`)
    const [, element, length] = /^(.*)\[(\d*)\]$/.exec(type) ?? []
    if (element !== undefined) {
      if (depth > MAX_DEPTH) throw new Error(`deeper than ${MAX_DEPTH} levels`)
      if (!Array.isArray(value) || (length && value.length !== Number(length)))
        throw new Error(`${at}: expected a list${length && ` of ${length}`} (${type})`)
      return keccak(
        Buffer.concat(
          value.map((item, index) => encode(element, item, `${at}[${index}]`, depth + 1)),
        ),
      )
    }
    if (structs.has(type)) return struct(type, value, at, depth)
    if (type === 'string' && typeof value === 'string') return hashed(Buffer.from(value))
    if (type === 'bytes' && isHex(value)) return hashed(Buffer.from(value.slice(2), 'hex'))
    const word = encodeAtom(type, value)
    if (word) return word
    throw new Error(`${at}: expected ${type}, got ${quote(value)}`)
  }

  return { struct }
}

/** Encodes an atomic value; undefined if it does not have the type. */
function encodeAtom(type: string, value: unknown): Buffer | undefined {
  if (type === 'bool') return typeof value === 'boolean' ? toWord(value ? 1n : 0n) : undefined
  if (type === 'address')
    return isHex(value) && value.length === 42 ? toWord(BigInt(value)) : undefined
  const [, kind, size] = /^(bytes|u?int)(\d+)$/.exec(type) ?? []
  if (kind === 'bytes') {
    if (!isHex(value) || value.length !== 2 + 2 * Number(size)) return undefined
    return Buffer.from(value.slice(2).padEnd(64, '0'), 'hex')
  }
  // A string or bytes: its value did not have the type.
  if (kind === undefined) return undefined
  const integer = toInteger(value)
  if (integer === undefined) return undefined
  const bits = Number(size)
  const fits = kind === 'int' ? BigInt.asIntN(bits, integer) : BigInt.asUintN(bits, integer)
  return fits === integer ? toWord(BigInt.asUintN(256, integer)) : undefined
}

function toInteger(value: unknown): bigint | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined
  if (typeof value !== 'string') return undefined
  return /^(?:-?\d{1,78}|0x[\da-f]{1,64})$/i.test(value) ? BigInt(value) : undefined
}

/** The atomic types. `int` and `uint` without a size are not types of EIP-712. */
function isAtom(type: string): boolean {
  if (type === 'string' || type === 'bytes' || type === 'bool' || type === 'address') return true
  const [, kind, digits] = /^(bytes|u?int)([1-9]\d{0,2})$/.exec(type) ?? []
  const size = Number(digits)
  return kind === 'bytes' ? size <= 32 : kind !== undefined && size % 8 === 0 && size <= 256
}

const NAME = /^[A-Za-z_$][\w$]*$/
const TYPE = /^[A-Za-z_$][\w$]*(?:\[\d{0,5}\])*$/

const baseOf = (type: string) =>
  type.slice(0, type.indexOf('[') < 0 ? undefined : type.indexOf('['))
const spell = ({ name, type }: Field) => `${type} ${name}`
const keccak = (content: Uint8Array) => Buffer.from(keccak_256(content))
const toWord = (value: bigint) => Buffer.from(value.toString(16).padStart(64, '0'), 'hex')

const isHex = (value: unknown): value is `0x${string}` =>
  typeof value === 'string' && /^0x(?:[\da-f]{2})*$/i.test(value)

/** An own member of an object, not an inherited one. */
function own(object: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/** A value as text for error messages. */
function quote(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 40))
  return typeof value === 'object' && value !== null
    ? Array.isArray(value)
      ? 'a list'
      : 'an object'
    : String(value)
}
