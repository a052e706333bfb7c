import { type Hex, keccak256 } from 'viem'

/** Whether a bloom may contain an address or topic, by Ethereum's definition (yellow paper, 4.3.1). */
export function mayHold(bloom: Hex, item: string): boolean {
  const hash = keccak256(item as Hex).slice(2)
  return [0, 4, 8].every((at) => {
    const bit = Number.parseInt(hash.slice(at, at + 4), 16) & 0x7ff
    return ((BigInt(bloom) >> BigInt(bit)) & 1n) === 1n
  })
}
