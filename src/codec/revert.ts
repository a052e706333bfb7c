import type { Hex } from 'viem'

/** Selector of `Error(string)`. */
const ERROR = '0x08c379a0'
/** Selector of `Panic(uint256)`. */
const PANIC = '0x4e487b71'

/** The meaning of each code of Solidity's `Panic`, in the text that Ethereum nodes use. */
const PANICS: Record<string, string> = {
  '0': 'generic panic',
  '1': 'assert(false)',
  '11': 'arithmetic underflow or overflow',
  '12': 'division or modulo by zero',
  '21': 'enum overflow',
  '22': 'invalid encoded storage byte array accessed',
  '31': 'out-of-bounds array access; popping on an empty array',
  '32': 'out-of-bounds access of an array or bytesN',
  '41': 'out of memory',
  '51': 'uninitialized function',
}

/**
 * The reason in revert data, for `execution reverted: <reason>`: the text of `Error(string)`, the meaning of a `Panic`.
 * Custom errors, raw bytes and empty or malformed data have none.
 */
export function revertReason(data: Hex): string | undefined {
  const code = panicCode(data)?.toString(16)
  if (code !== undefined) return PANICS[code] ?? `unknown panic code: 0x${code}`
  return data.startsWith(ERROR) ? decodeString(data.slice(10)) : undefined
}

/** The code of Solidity's `Panic` in revert data; undefined for other data. */
export function panicCode(data: Hex): bigint | undefined {
  return data.startsWith(PANIC) && data.length === 74 ? BigInt(`0x${data.slice(10)}`) : undefined
}

/** Decodes a single ABI string; undefined for any other bytes. */
function decodeString(body: string): string | undefined {
  const offset = word(body, 0)
  if (offset === undefined) return undefined
  const length = word(body, offset)
  if (length === undefined) return undefined
  const start = 2 * (offset + 32)
  const text = body.slice(start, start + 2 * length)
  return text.length === 2 * length ? Buffer.from(text, 'hex').toString('utf8') : undefined
}

/** The 32-byte word at a byte offset; undefined if it is missing or too large for an offset or length. */
function word(body: string, offset: number): number | undefined {
  const hex = body.slice(2 * offset, 2 * offset + 64)
  return /^0{56}[0-9a-f]{8}$/i.test(hex) ? Number.parseInt(hex, 16) : undefined
}
