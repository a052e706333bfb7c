import type { AddressRule } from '../vm/createdAddress.ts'

/** How a chain treats Ethereum transactions. */
export type EthereumRules = {
  /** How contracts that they create get their addresses. */
  addresses: AddressRule
  /** `gas`: exactly gas times price. `native`: bandwidth, stakes and energy as the chain charges them. */
  fees: 'gas' | 'native'
  /** The most gas that one transaction may ask for. */
  gasLimit: bigint
}

/** The ways of Ethereum, as its development tools have them. */
export const ethereumRules: EthereumRules = {
  addresses: 'ethereum',
  fees: 'gas',
  gasLimit: 100_000_000n,
}

/** The ways of the real chain. */
export const nativeRules: EthereumRules = { ...ethereumRules, addresses: 'native', fees: 'native' }
