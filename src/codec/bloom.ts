import { keccak_256 } from '@noble/hashes/sha3.js'
import type { Hex } from 'viem'

/** The size of a bloom, 2048 bits, in bytes. */
const BLOOM_BYTES = 256

/** Ethereum's filter over the addresses and topics of logs: three bits for each item. */
export type Bloom = Uint8Array

/** The three bits (0 to 2047) of an item. A caller may cache them, because items repeat often within a block. */
export type BloomBits = readonly [number, number, number]

/** An empty bloom. */
export function createBloom(): Bloom {
  return new Uint8Array(BLOOM_BYTES)
}

/** Bits of recent items: the same contracts and accounts are in most blocks. About 200 bytes each. */
const recent = new Map<string, BloomBits>()
const MAX_RECENT = 4_096

/** The bits of an address (20 bytes) or topic (32 bytes), as hex with `0x`. */
function bloomBits(item: string): BloomBits {
  const known = recent.get(item)
  if (known) return known
  const bits = bitsOf(Buffer.from(item.slice(2), 'hex'))
  if (recent.size === MAX_RECENT) recent.clear()
  recent.set(item, bits)
  return bits
}

/** The bits of raw bytes: the low 11 bits of the first three 16-bit words of their Keccak-256. */
export function bitsOf(bytes: Uint8Array): BloomBits {
  const hash = keccak_256(bytes)
  const bit = (index: number) => (((hash[index] ?? 0) << 8) | (hash[index + 1] ?? 0)) & 0x7ff
  return [bit(0), bit(2), bit(4)]
}

/** Adds an item to a bloom by its bits. */
export function addBits(bloom: Bloom, bits: BloomBits): void {
  for (const bit of bits) {
    const index = BLOOM_BYTES - 1 - (bit >> 3)
    bloom[index] = (bloom[index] ?? 0) | (1 << (bit & 7))
  }
}

/** The filter of some logs. */
export function logsBloom(logs: readonly { address: string; topics: readonly string[] }[]): Bloom {
  const bloom = createBloom()
  for (const { address, topics } of logs) {
    addBits(bloom, bloomBits(address))
    for (const topic of topics) addBits(bloom, bloomBits(topic))
  }
  return bloom
}

/** A bloom as hex with `0x`. */
export function bloomToHex(bloom: Bloom): Hex {
  return `0x${Buffer.from(bloom).toString('hex')}`
}
