import type { Hex } from 'viem'

import { toQuantity } from './quantity.ts'

/**
 * The first signature of a transaction as Ethereum's quantities, without leading zeros; zero if it has none.
 *
 * `v` is 27 or 28 without a chain id, because the signed message has none. `s` may be in the upper half, which the chain
 * allows. Old chains have longer signatures, of which the first 65 bytes count.
 */
export function toRpcSignature(signature: string | undefined): {
  r: Hex
  s: Hex
  v: Hex
  yParity: Hex
} {
  if (!signature || !/^[0-9a-f]{130}/i.test(signature))
    return { r: '0x0', s: '0x0', v: '0x0', yParity: '0x0' }
  const part = (from: number, to: number) => BigInt(`0x${signature.slice(from, to)}`)
  // The parity is 0 or 1, 27 or 28, or (for a compressed key) 31 or 32. Even and odd alternate in all three.
  const v = Number(part(128, 130))
  const parity = (v >= 27 ? v - 27 : v) & 1
  return {
    r: toQuantity(part(0, 64)),
    s: toQuantity(part(64, 128)),
    v: toQuantity(27 + parity),
    yParity: toQuantity(parity),
  }
}
