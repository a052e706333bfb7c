import type { Abi, AbiFunction, AbiParameter, Hex } from 'viem'
import { toFunctionSelector } from 'viem/utils'

import { STANDARD_ABI } from '../../codec/abi.ts'
import type { AbiEntry } from '../../native/wire/accountTypes.ts'

/** Parameters of one entry, and levels of tuples inside each other: more is no ABI that a compiler writes. */
const MOST = 64
const DEEPEST = 8

/** Bytes of decoded values, and of arguments as text, which take less than 50 milliseconds. */
export const MOST_DECODED = 64 * 1024
export const MOST_TEXT = 32 * 1024

/** Elements of a fixed array: more would make a decoder loop for long. */
const LONGEST = 1_024

/** The ABI that the chain stores for a contract, in the format of Ethereum tools. Skips entries that cannot be used. */
export function toAbi(entries: readonly AbiEntry[] | undefined): Abi {
  return readAbi(
    (entries ?? []).map(({ type, ...entry }) => ({
      ...entry,
      type: type?.toLowerCase(),
      inputs: (entry.inputs ?? []).map(parameter),
      outputs: (entry.outputs ?? []).map(parameter),
      stateMutability: mutability(entry),
    })),
  )
}

/** An entry before it is checked. */
type Given = Partial<Omit<AbiFunction, 'type'>> & { anonymous?: boolean; type?: string }

/** Reads an ABI or the file of a compiler that has one. Skips entries that cannot be used. */
export function readAbi(input: unknown): Abi {
  const list = Array.isArray(input) ? input : (input as { abi?: unknown } | null)?.abi
  if (!Array.isArray(list)) return []
  return list.flatMap((entry: unknown): unknown[] => {
    const { anonymous, inputs, name, outputs, stateMutability, type } = (entry ?? {}) as Given
    if (type === 'constructor' && areUsable(inputs)) return [{ type, inputs, stateMutability }]
    if (typeof name !== 'string' || !/^[A-Za-z_$][\w$]{0,99}$/.test(name)) return []
    if (!areUsable(inputs)) return []
    if (type === 'function' && areUsable(outputs ?? []))
      return [{ type, name, inputs, outputs: outputs ?? [], stateMutability }]
    if (type === 'event') return [{ type, name, inputs, anonymous: anonymous === true }]
    return type === 'error' ? [{ type, name, inputs }] : []
  }) as Abi
}

/** The functions of an ABI that only read, or those that write. */
export function functionsOf(abi: Abi, kind: 'read' | 'write'): AbiFunction[] {
  return abi.filter(
    (entry): entry is AbiFunction =>
      entry.type === 'function' &&
      (entry.stateMutability === 'view' || entry.stateMutability === 'pure') === (kind === 'read'),
  )
}

/** The functions of the standards that the code of a contract seems to have: it compares call data with their selectors. */
export function standardFunctions(code: Hex): Abi {
  return STANDARD_ABI.filter(
    (entry) =>
      entry.type === 'function' && code.includes(`63${toFunctionSelector(entry).slice(2)}`),
  )
}

/** A parameter with its type: `address to`. */
export function parameterText({ name, type }: AbiParameter): string {
  return name ? `${type} ${name}` : type
}

/** A decoded value as text: integers in decimal, lists and tuples as JSON. */
export function valueText(value: unknown): string {
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'string') return value
  return (
    JSON.stringify(value, (_, inner: unknown) =>
      typeof inner === 'bigint' ? String(inner) : inner,
    ) ?? ''
  )
}

function areUsable(list: unknown, depth = 0): boolean {
  return (
    Array.isArray(list) &&
    list.length <= MOST &&
    depth <= DEEPEST &&
    list.every((parameter) => isUsable(parameter as AbiParameter | null, depth))
  )
}

/** A tuple without parts, or an array of none, has no bytes: a decoder would loop over billions of them. */
function isUsable(parameter: AbiParameter | null, depth: number): boolean {
  const {
    components,
    name = '',
    type,
  } = (parameter ?? {}) as {
    components?: unknown[]
    name?: unknown
    type?: unknown
  }
  if (typeof name !== 'string' || name.length > 100 || typeof type !== 'string') return false
  const [, base = '', dimensions = ''] = /^([a-z0-9]{1,12})((?:\[\d{0,4}\]){0,4})$/.exec(type) ?? []
  const lengths = [...dimensions.matchAll(/\d+/g)].map(Number)
  if (lengths.includes(0) || lengths.reduce((product, one) => product * one, 1) > LONGEST)
    return false
  if (base === 'tuple') return (components?.length ?? 0) > 0 && areUsable(components, depth + 1)
  return /^(address|bool|string|bytes([1-9]|[12]\d|3[0-2])?|function|u?int(8|16|24|32|40|48|56|64|72|80|88|96|104|112|120|128|136|144|152|160|168|176|184|192|200|208|216|224|232|240|248|256)?)$/.test(
    base,
  )
}

function parameter({ indexed, name, type = '' }: NonNullable<AbiEntry['inputs']>[number]) {
  return {
    name: name ?? '',
    type: type.replace(/^trcToken/, 'uint256'),
    ...(indexed !== undefined && { indexed }),
  }
}

/** The chain writes `View`, and only `constant` in old contracts. */
function mutability({ constant, payable, stateMutability }: AbiEntry): string {
  if (stateMutability) return stateMutability.toLowerCase()
  if (constant) return 'view'
  return payable ? 'payable' : 'nonpayable'
}
