import {
  isLosslessNumber,
  parse as parseLossless,
  stringify as stringifyLossless,
} from 'lossless-json'

/**
 * Parses JSON so that its numbers keep every digit: those that JavaScript would change are `LosslessNumber` objects.
 *
 * @throws SyntaxError when the text is not JSON.
 */
export function parse(text: string): unknown {
  return LOSSY.test(text) ? parseLossless(text) : JSON.parse(text)
}

// Numbers that JSON.parse would round or print differently: 16 digits and more, fractions, exponents. A string may match
// too; then the slower parser reads the text, with the same result.
const LOSSY = /(?:^|[:,[\s-])\d*(?:\d{16}|\d[.eE])/

/** JSON text. Bigints and `LosslessNumber` objects become numbers with all their digits. */
export function stringify(value: unknown): string {
  return stringifyLossless(value) ?? 'null'
}

/** An argument of a command line: parsed if it is JSON, otherwise the text itself. */
export function parseLoose(text: string): unknown {
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

/** An integer of an answer. Absent means zero, because the node omits zeros. */
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

/** A member of nested objects by its path; undefined when a part of the path does not exist. */
export function get(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce((at: unknown, name) => (isRecord(at) ? at[name] : undefined), value)
}
