import {
  type Abi,
  type AbiFunction,
  type AbiParameter,
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionData,
  type Hex,
} from 'viem'

import { plural } from '../../codec/coin.ts'
import { tryAddress } from './address.ts'
import { usageError } from './errors.ts'
import { isRecord, parse, scalar } from './json.ts'

/**
 * Encodes a call from words of a command line: lists and tuples as JSON or as cast reads them, everything else as text.
 *
 * @throws CommandError (usage) that names the argument.
 */
export function encodeCall(item: AbiFunction, words: readonly string[]): Hex {
  return encodeFunctionData({
    abi: [item],
    functionName: item.name,
    args: readArguments(item.name, item.inputs, words),
  })
}

/** Encodes the arguments of a constructor; `0x` without any. @throws CommandError (usage) */
export function encodeConstructor(inputs: readonly AbiParameter[], words: readonly string[]): Hex {
  return encodeAbiParameters(inputs, readArguments('the constructor', inputs, words))
}

/** Encodes the topics and the data of a log; all arguments in the order of the event. @throws CommandError (usage) */
export function encodeEvent(
  item: Abi[number],
  words: readonly string[],
): { topics: Hex[]; data: Hex } {
  if (item.type !== 'event') throw usageError('the signature is not that of an event')
  const values = readArguments(item.name, item.inputs, words)
  const isIndexed = (index: number) => item.inputs[index]?.indexed === true
  const topics = encodeEventTopics({
    abi: [item],
    args: values.filter((_, index) => isIndexed(index)),
  })
  const inputs = item.inputs.filter(({ indexed }) => !indexed)
  const data = encodeAbiParameters(
    inputs,
    values.filter((_, index) => !isIndexed(index)),
  )
  return { topics: topics as Hex[], data }
}

/** Turns words into ABI values. Addresses may be in any form. @throws CommandError (usage) */
function readArguments(
  name: string,
  inputs: readonly AbiParameter[],
  words: readonly string[],
): unknown[] {
  if (words.length !== inputs.length)
    throw usageError(
      `${name} takes ${plural(inputs.length, 'argument')} (${inputs.map(({ type }) => type).join(', ')}), got ${words.length}`,
    )
  return inputs.map((input, index) =>
    readArgument(input, words[index] ?? '', `${name} argument ${index}`),
  )
}

function readArgument(input: AbiParameter, word: string, where: string): unknown {
  const { type } = input
  if (type.endsWith(']') || type.startsWith('tuple')) {
    let json: unknown
    try {
      json = parseOr(word, () => parse(asJson(word)))
    } catch {
      throw usageError(`${where} (${type}) needs a list such as [1,2] or (1,true), got "${word}"`)
    }
    return fromJson(input, json, where)
  }
  return fromJson(input, word, where)
}

function parseOr(text: string, otherwise: () => unknown): unknown {
  try {
    return parse(text)
  } catch {
    return otherwise()
  }
}

/** Lists and tuples as cast reads them, `[(1,hello),(2,you)]`, as JSON. */
function asJson(word: string): string {
  const parts = /"(?:[^"\\]|\\.)*"|[()]|[^\s[\](),"][^[\](),"]*/g
  return word.replaceAll(parts, (part) => {
    if (part === '(') return '['
    if (part === ')') return ']'
    return part.startsWith('"') ? part : JSON.stringify(part.trim())
  })
}

function fromJson(input: AbiParameter, value: unknown, where: string): unknown {
  const { type } = input
  const list = /^(.*)\[(\d*)\]$/.exec(type)
  if (list) {
    if (!Array.isArray(value)) throw usageError(`${where} (${type}) needs a JSON array`)
    if (list[2] !== '' && value.length !== Number(list[2]))
      throw usageError(`${where} (${type}) needs ${list[2]} items, got ${value.length}`)
    const item = { ...input, type: list[1] ?? '' }
    return value.map((entry, index) => fromJson(item, entry, `${where}[${index}]`))
  }
  if (type === 'tuple') {
    const { components } = input as AbiParameter & { components: readonly AbiParameter[] }
    const members = Array.isArray(value)
      ? value
      : components.map(({ name }) => (isRecord(value) ? value[name ?? ''] : undefined))
    const entries = components.map(
      (component, index) =>
        [
          component.name || String(index),
          fromJson(component, members[index], `${where}.${component.name ?? index}`),
        ] as const,
    )
    return components.every(({ name }) => name)
      ? Object.fromEntries(entries)
      : entries.map(([, entry]) => entry)
  }
  const text = scalar(value)
  if (text === undefined) throw usageError(`${where} (${type}) is missing`)
  return fromText(type, text, where)
}

function fromText(type: string, text: string, where: string): unknown {
  const wrong = (expected: string) =>
    usageError(`${where} (${type}) needs ${expected}, got "${text}"`)
  if (type === 'address') {
    const address = tryAddress(text)
    if (!address) throw wrong('an address')
    return address.eth
  }
  if (/^u?int/.test(type)) {
    const digits = text.replaceAll('_', '')
    if (!/^(-?\d+|0x[0-9a-f]+)$/i.test(digits)) throw wrong('an integer')
    const bits = Number(type.replace(/^u?int/, '') || 256)
    const value = BigInt(digits)
    const fits = type.startsWith('u') ? BigInt.asUintN(bits, value) : BigInt.asIntN(bits, value)
    if (fits !== value) throw wrong('an integer within its range')
    return value
  }
  if (type === 'bool') {
    if (text !== 'true' && text !== 'false') throw wrong('true or false')
    return text === 'true'
  }
  if (type.startsWith('bytes')) {
    const size = Number(type.slice(5) || 0)
    if (!/^0x([0-9a-f]{2})*$/i.test(text)) throw wrong('0x and an even number of hex digits')
    if (size !== 0 && text.length !== 2 + 2 * size) throw wrong(`exactly ${size} bytes`)
    return text
  }
  return text
}
