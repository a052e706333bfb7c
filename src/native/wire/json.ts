import { isInteger, isSafeNumber, parse, stringify } from 'lossless-json'

import { MAX_DIGITS } from './answerLimits.ts'

/**
 * Parses an answer of the node. An int64 becomes a number up to 2^53 − 1 and a bigint above, so it is always exact.
 *
 * @throws SyntaxError when the text is not JSON, or a number is longer or greater than those of the node.
 */
export function parseNative(text: string): unknown {
  return MAY_BE_UNSAFE.test(text) ? parseChecked(text) : JSON.parse(text)
}

/** Parses an answer of the node; undefined when it cannot be parsed. */
export function tryParseNative(text: string): unknown {
  try {
    return parseNative(text)
  } catch {
    return undefined
  }
}

/**
 * Parses an answer of the node in which all numbers that matter are below 2^53. Faster than `parseNative` for int64 values.
 *
 * @throws as `parseNative`
 */
export function parseInexact(text: string): unknown {
  return MAY_BE_HUGE.test(text) ? parseChecked(text) : JSON.parse(text)
}

function parseChecked(text: string): unknown {
  return parse(text, null, { parseNumber })
}

/** Writes a request body. Bigints become numbers, because the node refuses a quoted int64. */
export function stringifyNative(value: unknown): string {
  try {
    // The built-in function takes a tenth of the time. It throws for a bigint, which most values do not have.
    return JSON.stringify(value) ?? ''
  } catch {
    return stringify(value) ?? ''
  }
}

// 2^53 has 16 digits, so JSON.parse is exact for a text in which no number has 16 digits. The pattern also matches some
// strings with 16 digits after a colon or a comma. Then the slower parser reads the text, with the same result. A number with an
// exponent may be infinite.
const MAY_BE_UNSAFE = /(?:^|[:,[\s-])(?:\d{16}|\d[\d.]{0,15}[eE])/

const MAY_BE_HUGE = /(?:^|[:,[\s-])(?:\d{20}|\d[\d.]{0,19}[eE])/

function parseNumber(digits: string): number | bigint {
  if (isInteger(digits)) {
    if (digits.length > MAX_DIGITS) throw new SyntaxError('an integer is too long')
    return isSafeNumber(digits) ? Number(digits) : BigInt(digits)
  }
  const value = Number(digits)
  if (!Number.isFinite(value)) throw new SyntaxError('a number is too great')
  return value
}
