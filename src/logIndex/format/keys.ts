/**
 * How the tables are keyed. Numbers are big-endian, so that the order of bytes is the order of numbers.
 *
 *   segments  level (1)  segment (4)
 *   postings  level (1)  segment (4)  hash of the value (8)
 *   logs      block (6)  pack (2)
 */

/** Blocks of a segment, by level: appended live, filled, merged. */
export const BLOCKS_OF_LEVEL = [64, 1_024, 65_536] as const

/** Index into `BLOCKS_OF_LEVEL`. */
export type Level = 0 | 1 | 2

/** Lists of merged segments that are long are kept in parts of 1,024 blocks, under a level of their own. */
export const PART_LEVEL = 3

/** Blocks of a part. */
export const PART_BLOCKS = BLOCKS_OF_LEVEL[1]

/** The key of a row of `segments`. */
export function segmentKey(level: number, segment: number): Buffer {
  const key = Buffer.allocUnsafe(5)
  key.writeUInt8(level, 0)
  key.writeUInt32BE(segment, 1)
  return key
}

/** The key of a row of `postings`. `hash` is that of `createHasher`. */
export function postingKey(level: number, segment: number, hash: string): Buffer {
  const key = Buffer.allocUnsafe(13)
  key[0] = level
  writeUint32(key, segment, 1)
  // A search makes thousands of keys, and calls to write so few bytes cost more than the bytes.
  for (let at = 0; at < 8; at++) key[5 + at] = hash.charCodeAt(at)
  return key
}

/** The part of a posting's key that names its value. */
export function hashOf(key: Buffer): string {
  return key.toString('latin1', 5)
}

/** The key of a row of `logs`. */
export function packKey(block: number, pack: number): Buffer {
  const key = Buffer.allocUnsafe(8)
  const high = Math.floor(block / 2 ** 32)
  key[0] = high >> 8
  key[1] = high
  writeUint32(key, block, 2)
  key[6] = pack >> 8
  key[7] = pack
  return key
}

/** Writes the low 32 bits, big-endian. An assignment to a byte of a buffer keeps the low eight bits. */
function writeUint32(to: Buffer, value: number, at: number): void {
  to[at] = value >>> 24
  to[at + 1] = value >>> 16
  to[at + 2] = value >>> 8
  to[at + 3] = value
}

/** The block of a key of `logs`. */
export function blockOf(key: Buffer): number {
  return key.readUIntBE(0, 6)
}

/** Hashes a value to eight bytes, written as eight characters of one byte each. */
export type Hasher = (value: string) => string

/**
 * A seeded hash of 64 bits, so that clients cannot choose values that share a list. Values that share one only
 * cost time, because every log that is found is compared.
 */
export function createHasher(seed: readonly [number, number]): Hasher {
  return (value) => {
    let a = seed[0] ^ 0x9e3779b9
    let b = seed[1] ^ 0x85ebca6b
    for (let index = 0; index < value.length; index++) {
      const code = value.charCodeAt(index)
      a = Math.imul(a ^ code, 0x9e3779b1)
      b = Math.imul(b ^ code, 0x5f356495)
      a ^= a >>> 15
      b ^= b >>> 13
    }
    a = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35)
    b = Math.imul(b ^ (b >>> 16), 0x85ebca6b) ^ Math.imul(a ^ (a >>> 13), 0xc2b2ae35)
    return String.fromCharCode(
      a & 255,
      (a >>> 8) & 255,
      (a >>> 16) & 255,
      a >>> 24,
      b & 255,
      (b >>> 8) & 255,
      (b >>> 16) & 255,
      b >>> 24,
    )
  }
}

/** The value of a log’s address. Addresses and topics of values are hex without `0x`, lower case. */
export const byAddress = (address: string) => `a${address}`
/** The value of a log’s address with its first topic. */
export const byAddressAndTopic = (address: string, topic: string) => `b${address}${topic}`
/** The value of a topic at a position. */
export const byTopic = (position: number, topic: string) => `${position}${topic}`
/** The value of an account that transactions concern. */
export const byAccount = (account: string) => `t${account}`
/** The value of a contract that a transaction created. */
export const byCreated = (contract: string) => `c${contract}`
/** The value of the number of topics. */
export const byCount = (count: number) => `n${count}`
