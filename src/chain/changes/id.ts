import { randomBytes } from 'node:crypto'

/**
 * The id of a new filter or subscription: `0x` and 32 hex digits from a random source.
 *
 * The first digit is never zero. An id is a quantity in the specification of `eth_newFilter`, and clients that read it as
 * a number send it back without leading zeros.
 */
export function newId(): string {
  const bytes = randomBytes(16)
  bytes[0] = (bytes[0] ?? 0) | 0x80
  return `0x${bytes.toString('hex')}`
}
