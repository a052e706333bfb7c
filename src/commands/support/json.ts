import {
  isLosslessNumber,
  parse as parseLossless,
  stringify as stringifyLossless,
} from 'lossless-json'

/** JSON whose numbers keep every digit: those that JavaScript would change are `LosslessNumber` objects. */
export type Json = unknown

/** @throws SyntaxError when the text is not JSON. */
export function parse(text: string): Json {
  return LOSSY.test(text) ? parseLossless(text) : JSON.parse(text)
}

// Numbers that JSON.parse would round or print differently: 16 digits and more, fractions, exponents. Where a string
// holds such a thing the text only takes the slower parser.
const LOSSY = /(?:^|[:,[\s-])\d*(?:\d{16}|\d[.eE])/

/** JSON text; `indent` spaces a level. Bigints become bare digits. */
export function stringify(value: unknown, indent?: number): string {
  return stringifyLossless(value, undefined, indent) ?? 'null'
}

/** What a person typed: JSON where it is JSON, otherwise the text itself. */
export function parseLoose(text: string): Json {
  try {
    return parse(text)
  } catch {
    return text
  }
}

/** The digits of a number, or the text of a string; undefined for anything else. */
export function scalar(value: unknown): string | undefined {
  if (isLosslessNumber(value)) return value.toString()
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint')
    return String(value)
  return typeof value === 'boolean' ? String(value) : undefined
}

/** An integer of an answer; absent counts as zero, as the node leaves zeros out. */
export function integer(value: unknown): bigint {
  const text = scalar(value)
  return text === undefined || text === '' ? 0n : BigInt(text)
}

/** Whether a value is an object with members, not a list and not a number. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value)
  )
}

/** A member of an object by path; undefined where the way ends early. */
export function get(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce((at: unknown, name) => (isRecord(at) ? at[name] : undefined), value)
}
