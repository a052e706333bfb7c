import type { Hardfork } from '../state/hardforks.ts'

/** The block context of a run. */
export type BlockContext = {
  number: number
  /** Milliseconds. */
  timestamp: number
  producer: string
  chainId: number
  /** The hardfork of Ethereum whose EVM runs contracts. @default the chain's own EVM and energy schedule */
  hardfork?: Hardfork | undefined
  hashOf: (number: number) => string | undefined
  /** The account (42 hex characters) that ECRECOVER returns for a signature (r ‖ s ‖ v, hex), if a tool chose one. */
  signerOf?: (signature: string) => string | undefined
  /** The results of GASLIMIT, BASEFEE and PREVRANDAO. @default 0, the price of energy, 0 */
  gasLimit?: bigint
  baseFee?: bigint
  /** 32 bytes of hex. */
  prevRandao?: string
}
