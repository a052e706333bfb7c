import type { Address, Hash, Hex } from 'viem'

import { BLOCK_TAGS, type BlockRef, type BlockTag } from '../../codec/blockRef.ts'
import * as schemas from '../../codec/schemas.ts'
import { SUN, type Unit } from '../../codec/unit.ts'
import { parseAddress } from '../../lib/address.ts'
import { RpcError } from '../../lib/errors.ts'
import { MAX_INT64 } from '../../lib/int64.ts'
import { isObject } from '../../lib/isObject.ts'
import type { JsonSchema } from '../../lib/jsonSchema.ts'

/** Decodes one positional parameter. Throws a plain `Error` whose message says what was expected. */
export type Param<value> = { (input: unknown, scope?: ParamScope): value; doc?: ParamDoc }

/** A decoder of any value. */
// oxlint-disable-next-line typescript/no-explicit-any -- with `unknown` here, generic decoders such as optional() infer it
export type AnyParam = Param<any>

/** The data of a call that decoders use in addition to the input. */
export type ParamScope = {
  /** The unit in which the client gives amounts of the coin. */
  unit: Unit
  /** The contract address for a predicted address. Any other address is returned unchanged. */
  contractAt(address: Address): Address
  /** Data or a topic without predicted addresses. @throws RpcError naming the contract, when one is in it */
  inData(data: Hex): Hex
  /** The most gas of a call; one that asks for more gets this much, as in geth. Absent: any. */
  mostGas?: bigint
}

/** The parameter in the OpenRPC document. */
export type ParamDoc = {
  name: string
  schema: JsonSchema
  /** @default true */
  required?: boolean
  description?: string
  /** Not listed: the decoder reads no parameter. */
  hidden?: boolean
}

/** The same decoder under another parameter name. */
export function named<value>(
  name: string,
  param: Param<value>,
  description?: string,
): Param<NoInfer<value>> {
  const doc = {
    ...param.doc,
    name,
    schema: param.doc?.schema ?? {},
    ...(description && { description }),
  }
  return Object.assign((...given: Given) => param(...given), { doc })
}

const BLOCK_NUMBER_OR_TAG: JsonSchema = {
  title: 'block number or tag',
  oneOf: [schemas.quantity, { enum: BLOCK_TAGS }],
}

const BLOCK: JsonSchema = {
  title: 'block number, tag or hash',
  anyOf: [
    BLOCK_NUMBER_OR_TAG,
    schemas.hash,
    schemas.object({ blockNumber: schemas.quantity }),
    schemas.object({ blockHash: schemas.hash, requireCanonical: schemas.boolean }, [
      'requireCanonical',
    ]),
  ],
}

/** An account: 20 bytes of hex (any letter case), the native 21 bytes `41…` with or without `0x`, or base58 `T…`. */
export const address: Param<Address> = (input) => {
  const parsed = typeof input === 'string' ? parseAddress(input) : undefined
  if (parsed) return parsed
  throw new Error(`expected a 20-byte hex or a base58 address, got ${show(input)}`)
}
address.doc = {
  name: 'address',
  schema: schemas.address,
  description: '20 bytes of hex, the native 21 bytes, or base58',
}

/**
 * The address of a contract. A predicted address of a contract that was sent through the gateway
 * stands for that contract.
 */
export const contractAddress: Param<Address> = (input, scope = PLAIN) =>
  scope.contractAt(address(input))
contractAddress.doc = address.doc

/** An amount of the coin in the client's unit, as sun. */
export const amount: Param<bigint> = (input, { unit } = PLAIN) => unit.toSun(quantity(input))
amount.doc = { name: 'amount', schema: schemas.amount }

/** The most that a sender pays for one unit of gas, in the client's unit, as sun. */
export const price: Param<bigint> = (input, { unit } = PLAIN) => unit.toPrice(quantity(input))
price.doc = { name: 'price', schema: schemas.amount }

/** A 32-byte transaction or block hash; `0x` may be missing, as native tools write it. */
export const hash: Param<Hash> = (input) => {
  const digits = typeof input === 'string' ? /^(?:0x)?([0-9a-f]{64})$/i.exec(input)?.[1] : undefined
  if (digits) return `0x${digits.toLowerCase()}`
  throw new Error(`expected a 32-byte hex hash, got ${show(input)}`)
}
hash.doc = { name: 'hash', schema: schemas.hash }

/** `true` or `false`. */
export const boolean: Param<boolean> = (input) => {
  if (typeof input === 'boolean') return input
  throw new Error(`expected a boolean, got ${show(input)}`)
}
boolean.doc = { name: 'boolean', schema: schemas.boolean }

/** Any text. */
export const text: Param<string> = (input) => {
  if (typeof input === 'string') return input
  throw new Error(`expected a text, got ${show(input)}`)
}
text.doc = { name: 'text', schema: schemas.text }

/** Bytes as `0x` and an even number of hex digits, lower-cased; `0x` may be missing, as native tools write it. */
export const bytes: Param<Hex> = (input) => {
  const digits =
    typeof input === 'string' ? /^(?:0x)?((?:[0-9a-f]{2})*)$/i.exec(input)?.[1] : undefined
  if (digits !== undefined) return `0x${digits.toLowerCase()}`
  throw new Error(`expected hex bytes such as 0x1234, got ${show(input)}`)
}
bytes.doc = { name: 'bytes', schema: schemas.bytes }

/** A non-negative integer as `0x` hex (leading zeros allowed) or as a JSON number. */
export const quantity: Param<bigint> = (input) => {
  const value = toInteger(input)
  if (value !== undefined) return value
  throw new Error(`expected a hex quantity such as 0x1, got ${show(input)}`)
}
quantity.doc = { name: 'quantity', schema: schemas.quantity }

/** A storage slot: a quantity, or up to 32 bytes of hex as geth reads them, where `0x` and all digits may be missing. */
export const storageSlot: Param<bigint> = (input) => {
  const digits = typeof input === 'string' ? SLOT.exec(input)?.[1] : undefined
  return digits === undefined ? quantity(input) : BigInt(`0x${digits || '0'}`)
}
storageSlot.doc = { name: 'slot', schema: schemas.quantity }

const SLOT = /^(?!$)(?:0x)?([0-9a-f]{0,64})$/i

/** A position in a list, counted from 0. */
export const index: Param<number> = (input) => {
  const value = toInteger(input)
  if (value !== undefined && value <= Number.MAX_SAFE_INTEGER) return Number(value)
  throw new Error(`expected an index as hex quantity such as 0x0, got ${show(input)}`)
}
index.doc = { name: 'index', schema: schemas.quantity }

/**
 * A block: a tag, a number (`0x` hex, a JSON number, or decimal text as the node's own JSON-RPC takes), a 32-byte hash,
 * or the EIP-1898 object with exactly one of `blockNumber` and `blockHash`.
 */
export const blockRef: Param<BlockRef> = (input) => {
  if (isObject(input)) return fromEip1898(input)
  if (isBlockHash(input)) return { blockHash: hash(input) }
  return blockNumberOrTag(input)
}
blockRef.doc = {
  name: 'block',
  schema: BLOCK,
  description: 'a number, a tag, a hash, or an EIP-1898 object',
}

const isBlockHash = (input: unknown) =>
  typeof input === 'string' && input.length === 66 && /^0x[0-9a-f]{64}$/i.test(input)

/** A number below 2^52. Reading it as a bigint would take longer. */
const SAFE_HEX = /^0x[0-9a-f]{1,13}$/i

/** A block by number or tag only, where Ethereum takes no hash. */
export const blockNumberOrTag: Param<number | BlockTag> = (input) => {
  if (typeof input === 'string' && SAFE_HEX.test(input)) return Number(input)
  if (BLOCK_TAGS.includes(input as BlockTag)) return input as BlockTag
  if (isBlockHash(input))
    throw new Error(`expected a block number or a tag, got the block hash ${show(input)}`)
  const value = toInteger(
    typeof input === 'string' && /^\d{1,20}$/.test(input) ? BigInt(input) : input,
  )
  if (value === undefined)
    throw new Error(
      `expected a block number, a block hash or one of ${BLOCK_TAGS.join(', ')}, got ${show(input)}`,
    )
  if (value > MAX_INT64) throw new Error(`block number ${show(input)} is too large`)
  // No block is that high.
  return value > Number.MAX_SAFE_INTEGER ? Number.MAX_SAFE_INTEGER : Number(value)
}
blockNumberOrTag.doc = { name: 'block', schema: BLOCK_NUMBER_OR_TAG }

/** A quantity that is kept as a number. */
export const atMost = (most: number): Param<bigint> => {
  return (input) => {
    const value = quantity(input)
    if (value <= BigInt(most)) return value
    throw new Error(`expected at most ${most}, got ${value}`)
  }
}

/** The members of an object that are not undefined. */
export type Present<values> = { [name in keyof values]?: Exclude<values[name], undefined> }

/** Leaves out the members that are undefined. */
export function present<values extends object>(values: values): Present<values> {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as Present<values>
}

/** Makes a decoder accept a missing (or `null`) parameter, which then is `fallback`. */
export function optional<value>(param: Param<value>, fallback: NoInfer<value>): Param<value> {
  return Object.assign(
    (...[input, scope]: Given) =>
      input === undefined || input === null ? fallback : param(input, scope),
    param.doc && { doc: { ...param.doc, required: false } },
  )
}

/** Makes a decoder accept a missing (or `null`) value, which then is undefined. */
export function maybe<value>(param: Param<value>): Param<value | undefined> {
  return optional<value | undefined>(param, undefined)
}

/** A parameter, and the unit of the endpoint (sun or wei). */
export function withUnit<value>(param: Param<value>): Param<{ value: value; unit: Unit }> {
  return Object.assign(
    (...[input, scope = PLAIN]: Given) => ({ value: param(input, scope), unit: scope.unit }),
    param.doc && { doc: param.doc },
  )
}

/** The unit of the endpoint, for methods without parameters. It reads no parameter, so the documentation does not list it. */
export const ownUnit: Param<Unit> = (_, { unit } = PLAIN) => unit
ownUnit.doc = { name: 'unit', schema: {}, required: false, hidden: true }

/** A list of decoded elements. An error names the element. */
export function arrayOf<value>(param: Param<value>): Param<value[]> {
  const list: Param<value[]> = (input, scope) => {
    if (!Array.isArray(input)) throw new Error(`expected an array, got ${show(input)}`)
    return input.map((element, index) => {
      try {
        return param(element, scope)
      } catch (error) {
        if (error instanceof RpcError) throw error
        throw new Error(`element ${index}: ${(error as Error).message}`, { cause: error })
      }
    })
  }
  return Object.assign(
    list,
    param.doc && { doc: { ...param.doc, schema: schemas.listOf(param.doc.schema) } },
  )
}

/**
 * An object with these members, of which those that decode to a default or to undefined may be absent. Others are refused: ignored, a
 * misspelt one would change the answer without an error.
 */
export function objectParam<const decoders extends Readonly<Record<string, AnyParam>>>(
  name: string,
  decoders: decoders,
): Param<{ [key in keyof decoders]: ReturnType<decoders[key]> }> {
  const members = Object.entries<AnyParam>(decoders)
  const names = Object.keys(decoders)
  const decode = (...[input, scope]: Given) => {
    const given = objectOf(names, input)
    return Object.fromEntries(
      members.map(([key, param]) => [key, member(given, key, param, scope) as unknown]),
    ) as { [key in keyof decoders]: ReturnType<decoders[key]> }
  }
  const schema = schemas.object(
    Object.fromEntries(members.map(([key, { doc }]) => [key, doc?.schema ?? {}])),
    members.flatMap(([key, { doc }]) => (doc?.required === false ? [key] : [])),
  )
  return Object.assign(decode, { doc: { name, schema } })
}

/** An object that has only the given members. Some clients send absent members as null. */
export function objectOf(names: readonly string[], input: unknown): Record<string, unknown> {
  if (!isObject(input)) throw new Error(`expected {${names.join(', ')}}, got ${show(input)}`)
  const given = Object.entries(input).filter(([, value]) => value !== undefined && value !== null)
  const unknown = given.find(([name]) => !names.includes(name))
  if (unknown === undefined) return Object.fromEntries(given)
  throw new Error(`unknown member ${show(unknown[0])}, expected only ${names.join(', ')}`)
}

/** Decodes one field of an object. An error names the field. */
export function member<value>(
  object: Record<string, unknown>,
  name: string,
  param: Param<value>,
  scope?: ParamScope,
): value {
  try {
    return param(object[name], scope)
  } catch (error) {
    if (error instanceof RpcError) throw error
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error })
  }
}

/** Characters of an input that a message quotes. */
const SHOWN = 80

/** Quotes an input for a message: short, on one line. Takes no longer for a large input than for a small one. */
export function show(input: unknown): string {
  if (input === undefined) return 'nothing'
  const text = briefly(input, SHOWN)
  return text.length > SHOWN ? `${text.slice(0, SHOWN - 3)}…` : text
}

/** The beginning of an input as JSON: at least `room` characters, if it is that long. */
function briefly(input: unknown, room: number): string {
  if (typeof input === 'bigint') return `"${input}"`
  // JSON.parse has rounded it.
  if (typeof input === 'number' && Math.abs(input) > Number.MAX_SAFE_INTEGER)
    return `about ${input}`
  if (typeof input === 'string') return JSON.stringify(input.slice(0, room))
  if (typeof input !== 'object' || input === null) return JSON.stringify(input)
  if (Array.isArray(input)) {
    let text = '['
    for (let at = 0; at < input.length && text.length <= room; at++)
      text += (at > 0 ? ',' : '') + briefly(input[at], Math.max(1, room - text.length))
    return `${text}]`
  }
  let text = '{'
  for (const key in input) {
    if (text.length > room) break
    const value = (input as Record<string, unknown>)[key]
    text += `${text.length > 1 ? ',' : ''}${JSON.stringify(key.slice(0, room))}:`
    text += briefly(value, Math.max(1, room - text.length))
  }
  return `${text}}`
}

type Given = [input: unknown, scope?: ParamScope]

/** The decoding context outside of a call. */
export const PLAIN: ParamScope = {
  unit: SUN,
  contractAt: (address) => address,
  inData: (data) => data,
}

function fromEip1898(object: Record<string, unknown>): BlockRef {
  // Some clients send absent fields as null.
  const blockHash = object['blockHash'] ?? undefined
  const blockNumber = object['blockNumber'] ?? undefined
  if (blockHash !== undefined && blockNumber !== undefined)
    throw new Error('expected either blockHash or blockNumber, got both')
  if (blockNumber !== undefined) return member(object, 'blockNumber', blockNumberOrTag)
  if (blockHash === undefined) throw new Error('expected blockHash or blockNumber, got neither')
  // All answers are about canonical blocks, so `requireCanonical` has no effect.
  if ((object['requireCanonical'] ?? undefined) !== undefined)
    member(object, 'requireCanonical', boolean)
  return { blockHash: member(object, 'blockHash', hash) }
}

function toInteger(input: unknown): bigint | undefined {
  if (typeof input === 'bigint') return input < 0n ? undefined : input
  if (typeof input === 'number')
    return Number.isSafeInteger(input) && input >= 0 ? BigInt(input) : undefined
  // The largest EVM word has 66 characters; a longer number is invalid.
  if (typeof input === 'string' && /^0x[0-9a-f]{1,64}$/i.test(input)) return BigInt(input)
  return undefined
}
