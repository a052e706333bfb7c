import { bytesToBigInt, setLengthRight } from '@ethereumjs/util'

/** Milliseconds of one pair of points, and of one bit of the exponent for a square word of 8 bytes: measured, on a slow machine. */
const PAIR = 10
const BIT = 15e-6

/** Bytes of a pair of points. */
const PAIR_BYTES = 192

/**
 * About how many milliseconds a precompiled contract takes that cannot be interrupted. Their energy is not a measure: a pairing takes
 * ten times as long for its energy as a power.
 *
 * @param address - its last byte, when the others are zero
 */
export function precompileTime(address: number | undefined, data: Uint8Array): number {
  if (address === 0x08) return Math.floor(data.length / PAIR_BYTES) * PAIR
  if (address !== 0x05) return 0
  const lengthAt = (word: number) =>
    Number(bytesToBigInt(setLengthRight(data.subarray(32 * word, 32 * word + 32), 32)))
  const [base, exponent, modulus] = [lengthAt(0), lengthAt(1), lengthAt(2)]
  const words = Math.ceil(Math.max(base, modulus) / 8)
  return words * words * 8 * exponent * BIT
}
