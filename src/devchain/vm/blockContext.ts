/** What a run sees of its block. */
export type BlockContext = {
  number: number
  /** Milliseconds. */
  timestamp: number
  producer: string
  chainId: number
  hashOf: (number: number) => string | undefined
  /** What GASLIMIT, BASEFEE and PREVRANDAO say. @default 0, the price of energy, 0 */
  gasLimit?: bigint
  baseFee?: bigint
  /** 32 bytes of hex. */
  prevRandao?: string
}
