import { hasRulesOf } from '../state/hardforks.ts'
import type { EthereumRules } from './rules.ts'

/** A contract that exists from the first block on. The address has 42 hex characters, the code is hex. */
export type SystemContract = { address: string; code: string }

/**
 * The contract through which `forge script` and other tools create contracts with a salt. It has the same address on every
 * Ethereum chain. anvil has it from the start too. Its input is the salt and the creation code.
 */
const CREATE2_DEPLOYER: SystemContract = {
  address: '414e59b44847b379578588920ca78fbf26c0b4956c',
  code: '7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3',
}

/**
 * The contract of beacon block roots (EIP-4788). As on Hardhat it has no roots: this chain has no beacon chain. Tests write a root as the
 * system address 0xff…fe, which they impersonate.
 */
const BEACON_ROOTS: SystemContract = {
  address: '41000f3df6d732807ef1319fb7b8bb8522d0beac02',
  code: '3373fffffffffffffffffffffffffffffffffffffffe14604d57602036146024575f5ffd5b5f35801560495762001fff810690815414603c575f5ffd5b62001fff01545f5260205ff35b5f5ffd5b62001fff42064281555f359062001fff015500',
}

/** The contracts that exist from the first block on, on a chain with these rules. */
export function systemContracts({
  addresses,
  energy,
}: Pick<EthereumRules, 'addresses' | 'energy'>): SystemContract[] {
  if (addresses !== 'ethereum') return []
  return hasRulesOf(energy, 'cancun') ? [CREATE2_DEPLOYER, BEACON_ROOTS] : [CREATE2_DEPLOYER]
}
