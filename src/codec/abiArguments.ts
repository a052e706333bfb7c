import { parse } from 'lossless-json'
import type { AbiFunction, AbiParameter, Hex } from 'viem'
import { encodeFunctionData } from 'viem/utils'

import { isShortNativeAddress, parseAddress } from '../lib/address.ts'
import { isObject } from '../lib/isObject.ts'
import { plural } from './coin.ts'

/** Encodes a call whose arguments are text, see `readArguments`. @throws TypeError */
export function encodeCall(item: AbiFunction, words: readonly string[]): Hex {
  const args = readArguments(item.name, item.inputs, words)
  return encodeFunctionData({ abi: [item], functionName: item.name, args })
}

/**
 * Reads ABI values from text that a person wrote: lists and tuples as JSON or as cast reads them, addresses in any format.
 *
 * @throws TypeError that names the argument
 */
export function readArguments(
  name: string,
  inputs: readonly AbiParameter[],
  words: readonly string[],
): unknown[] {
  if (words.length !== inputs.length)
    throw new TypeError(
      `${name} takes ${plural(inputs.length, 'argument')} (${inputs.map(({ type }) => type).join(', ')}), got ${words.length}`,
    )
  return inputs.map((input, index) => {
    const word = words[index] ?? ''
    const where = `${name}: ${input.name || `argument ${index + 1}`}`
    const isText = !input.type.endsWith(']') && !input.type.startsWith('tuple')
    return readValue(input, isText ? word : readList(word, `${where} (${input.type})`), where)
  })
}

function readList(word: string, where: string): unknown {
  for (const text of [word, asJson(word)])
    try {
      // As text, numbers keep every digit.
      return parse(text, undefined, String)
    } catch {
      // The next one, or the error below.
    }
  throw new TypeError(`${where} needs a list such as [1,2] or (1,true), got "${word}"`)
}

/** Lists and tuples as cast reads them, `[(1,hello),(2,you)]`, as JSON. */
function asJson(word: string): string {
  const parts = /"(?:[^"\\]|\\[^]?)*"?|[()]|[^\s[\](),"][^[\](),"]*/g
  return word.replaceAll(parts, (part) => {
    if (part === '(') return '['
    if (part === ')') return ']'
    return part.startsWith('"') ? part : JSON.stringify(part.trim())
  })
}

function readValue(input: AbiParameter, value: unknown, where: string): unknown {
  const { type } = input
  const list = /^(.*)\[(\d*)\]$/.exec(type)
  if (list) {
    if (!Array.isArray(value)) throw new TypeError(`${where} (${type}) needs a JSON array`)
    if (list[2] !== '' && value.length !== Number(list[2]))
      throw new TypeError(`${where} (${type}) needs ${list[2]} items, got ${value.length}`)
    const item = { ...input, type: list[1] ?? '' }
    return value.map((entry, index) => readValue(item, entry, `${where}[${index}]`))
  }
  if (type === 'tuple') {
    const { components } = input as AbiParameter & { components: readonly AbiParameter[] }
    const members = components.map((component, index) => {
      const name = component.name || String(index)
      const member: unknown = Array.isArray(value) ? value[index] : isObject(value) && value[name]
      return [name, readValue(component, member, `${where}.${name}`)] as const
    })
    return components.every(({ name }) => name)
      ? Object.fromEntries(members)
      : members.map(([, member]) => member)
  }
  if (typeof value !== 'string' && typeof value !== 'boolean')
    throw new TypeError(`${where} (${type}) is missing`)
  return readText(type, String(value), where)
}

function readText(type: string, text: string, where: string): unknown {
  const wrong = (expected: string) =>
    new TypeError(`${where} (${type}) needs ${expected}, got "${text}"`)
  if (type === 'address') {
    const address = parseAddress(text.trim())
    if (!address || isShortNativeAddress(text.trim()))
      throw wrong('an address (T…, or 41 or 0x and 40 digits)')
    return address
  }
  if (/^u?int/.test(type)) {
    // Another comma may stand for a decimal point.
    const separators = /^-?\d{1,3}(,\d{3})+$/.test(text.trim()) ? /,/g : /_/g
    const digits = text.trim().replaceAll(separators, '')
    // 2^256 has 78 digits.
    if (!/^(-?\d{1,78}|0x[0-9a-f]{1,64})$/i.test(digits)) throw wrong('an integer')
    const bits = Number(type.replace(/^u?int/, '') || 256)
    const value = BigInt(digits)
    const fits = type.startsWith('u') ? BigInt.asUintN(bits, value) : BigInt.asIntN(bits, value)
    if (fits !== value) throw wrong('an integer within its range')
    return value
  }
  if (type === 'bool') {
    if (!/^(true|false)$/.test(text.trim())) throw wrong('true or false')
    return text.trim() === 'true'
  }
  if (type.startsWith('bytes')) {
    const bytes = text.trim() || '0x'
    const size = Number(type.slice(5) || 0)
    if (!/^0x([0-9a-f]{2})*$/i.test(bytes)) throw wrong('0x and an even number of hex digits')
    if (size !== 0 && bytes.length !== 2 + 2 * size) throw wrong(`exactly ${size} bytes`)
    return bytes
  }
  return text
}
