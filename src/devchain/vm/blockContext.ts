import { createHash } from 'node:crypto'

import { hasRulesOf, type Hardfork } from '../state/hardforks.ts'

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
  /** The results of GASLIMIT and BASEFEE. @default what blocks show (0 without a hardfork), the price of energy */
  gasLimit?: bigint
  baseFee?: bigint
  /** The result of PREVRANDAO, 32 bytes of hex. @default {@link randomOf} */
  prevRandao?: string
}

/**
 * The result of PREVRANDAO in a block for which no tool chose one, 32 bytes of hex. It depends on the number of the block alone, so
 * it is the same in each run of a test, as on Hardhat. Undefined before Paris and in the chain's own EVM, where it is 0.
 */
export const randomOf = ({ hardfork, number }: Pick<BlockContext, 'hardfork' | 'number'>) =>
  hasRulesOf(hardfork ?? 'native', 'paris')
    ? createHash('sha256').update(`prevrandao ${number}`).digest('hex')
    : undefined
