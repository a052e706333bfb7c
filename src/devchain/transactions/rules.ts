import { BLOCK_GAS_LIMIT } from '../../codec/block.ts'
import type { Hardfork } from '../state/hardforks.ts'
import type { AddressRule } from '../vm/createdAddress.ts'

/** Rules of a chain for Ethereum transactions. */
export type EthereumRules = {
  /** The rule for the addresses of created contracts. */
  addresses: AddressRule
  /** `gas`: exactly gas times price. `native`: bandwidth, stakes and energy, as on the real chain. */
  fees: 'gas' | 'native'
  /** What runs contracts: the chain's own EVM with its energy schedule, or the EVM of a hardfork of Ethereum with its gas schedule. */
  energy: 'native' | Hardfork
  /** `fixed`: every block has the price of energy. `eip1559`: it depends on how full the blocks are, as on Ethereum. */
  baseFee: 'eip1559' | 'fixed'
  /** The highest gas limit that a transaction may have. */
  gasLimit: bigint
  /**
   * What `eth_sendRawTransaction` answers for a transaction that fails in its block: an `error`, as Hardhat, or the `hash`, as anvil.
   * `auto`: an error for Hardhat and the hash for others.
   */
  rawReverts: 'auto' | 'error' | 'hash'
}

/** The tip in wei of transactions that name no fees: that of anvil and Hardhat where there is a base fee, else none. */
export const defaultTip = ({ baseFee }: EthereumRules): bigint =>
  baseFee === 'eip1559' ? 10n ** 9n : 0n

/** The rules that Ethereum tools expect. */
export const ethereumRules: EthereumRules = {
  addresses: 'ethereum',
  fees: 'gas',
  energy: 'native',
  baseFee: 'fixed',
  gasLimit: BLOCK_GAS_LIMIT,
  rawReverts: 'auto',
}

/** The rules of the real chain. */
export const nativeRules: EthereumRules = { ...ethereumRules, addresses: 'native', fees: 'native' }
