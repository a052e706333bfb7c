import { isInteger, isSafeNumber, parse, stringify } from 'lossless-json'

/**
 * Reads an answer of the node. An int64 comes back as a number up to 2^53 − 1 and as a bigint beyond, digit for digit.
 *
 * @throws SyntaxError when the text is not JSON.
 */
export function parseNative(text: string): unknown {
  return MAY_BE_UNSAFE.test(text) ? parse(text, null, { parseNumber }) : JSON.parse(text)
}

/** Writes a request body: bigints as bare digits, because the node refuses a quoted int64. */
export function stringifyNative(value: unknown): string {
  try {
    // Most values have no bigint, and the built-in writer takes a tenth of the time.
    return JSON.stringify(value) ?? ''
  } catch {
    return stringify(value) ?? ''
  }
}

// 2^53 has 16 digits, so a text without 16 in a row where a number may begin parses exactly as it is. Long digit runs in
// strings (hashes, call data) follow a quote or a letter; the few that follow a colon or comma cost only the slow path.
const MAY_BE_UNSAFE = /(?:^|[:,[\s-])\d{16}/

function parseNumber(digits: string): number | bigint {
  return isInteger(digits) && !isSafeNumber(digits) ? BigInt(digits) : Number(digits)
}
