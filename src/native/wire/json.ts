import { isInteger, isSafeNumber, parse, stringify } from 'lossless-json'

/**
 * Parses an answer of the node. An int64 becomes a number up to 2^53 − 1 and a bigint above, so it is always exact.
 *
 * @throws SyntaxError when the text is not JSON.
 */
export function parseNative(text: string): unknown {
  return MAY_BE_UNSAFE.test(text) ? parse(text, null, { parseNumber }) : JSON.parse(text)
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
// strings with 16 digits after a colon or a comma. Then the slower parser reads the text, with the same result.
const MAY_BE_UNSAFE = /(?:^|[:,[\s-])\d{16}/

function parseNumber(digits: string): number | bigint {
  return isInteger(digits) && !isSafeNumber(digits) ? BigInt(digits) : Number(digits)
}
