import type { Genesis } from '../blocks/genesis.ts'
import { DEFAULT_HARDFORK } from '../state/hardforks.ts'
import { devAccounts, producerKeys } from '../state/keys.ts'
import { COIN } from '../state/resources.ts'
import { type EthereumRules, ethereumRules, nativeRules } from '../transactions/rules.ts'
import { systemContracts } from '../transactions/systemContracts.ts'
import { SEEDED_START } from './clock.ts'

/** 10^-18 of the coin in one sun. */
const WEI_PER_SUN = 10n ** 12n

/** The price of energy if the coin has 18 decimals, as Ethereum tools expect it. */
const GWEI = 10n ** 9n

/** The chain id of Hardhat and anvil, on which tests of Ethereum projects depend. */
const TOOLS_CHAIN_ID = 31_337

/** What the options of a dev chain stand for: its funded accounts, its rules for Ethereum transactions and its genesis. */
export function defineChain(options: defineChain.Options) {
  const {
    accounts: count = 10,
    balance = 10_000n,
    decimals = 6,
    mnemonic,
    now = Date.now,
    producers = 5,
    profile = 'ethereum',
    seed,
  } = options
  const accounts = devAccounts(count, mnemonic, options.derivationPath)
  const isLikeEthereum = decimals === 18 && profile !== 'native'
  const chainId = options.chainId ?? (isLikeEthereum ? TOOLS_CHAIN_ID : undefined)
  const rules = {
    ...(profile === 'native' ? nativeRules : ethereumRules),
    ...(isLikeEthereum && { energy: DEFAULT_HARDFORK }),
    ...options.ethereum,
  }
  const ethereum: EthereumRules = {
    ...rules,
    baseFee: isLikeEthereum && rules.energy !== 'native' ? 'eip1559' : 'fixed',
  }
  const genesis: Genesis = options.genesis ?? {
    accounts: accounts.map(({ address }) => ({ address, balance: balance * COIN })),
    producers: producerKeys(seed ?? '', producers).map(({ address, key }, index) => ({
      address,
      key,
      url: `http://producer${index + 1}.invalid`,
      votes: BigInt(100 - index),
    })),
    firstMaintenance: 0,
    contracts: systemContracts(ethereum),
    ...(chainId !== undefined && { chainId }),
    ...(decimals === 18 && { unitsPerSun: WEI_PER_SUN }),
    ...(isLikeEthereum && { time: startTime() }),
    parameters: { ...(decimals === 18 && { getEnergyFee: GWEI }), ...options.parameters },
  }

  /** The time of block 0: that of a chain that was stored, the chosen one, or now in whole seconds. */
  function startTime(): number | undefined {
    if ('startTime' in options) return options.startTime
    if (options.timestamp !== undefined) return options.timestamp
    return seed === undefined ? now() - (now() % 1_000) : SEEDED_START
  }

  return { accounts, ethereum, genesis }
}

export declare namespace defineChain {
  type Options = {
    /** Funded accounts. @default 10 */
    accounts?: number
    /** Coins of each. @default 10,000 */
    balance?: bigint
    /** Mnemonic of the accounts. @default the one that development tools share */
    mnemonic?: string
    /** Derivation path of the accounts without the index. @default m/44'/60'/0'/0 */
    derivationPath?: string
    /** @default the last four bytes of the genesis hash; 31337 with 18 decimals outside the native profile */
    chainId?: number
    /** 18: balances and values are in units of 10^-18 of the coin, and native transactions are rejected. @default 6 */
    decimals?: 6 | 18
    /** Number of producers. A block is solidified when 70 percent of them have built on it. @default 5 */
    producers?: number
    /** Makes every block and hash reproducible: times start at a fixed date, three seconds a block. */
    seed?: string
    /** `ethereum`: behaves as development tools expect. `native`: behaves like the real chain. @default 'ethereum' */
    profile?: 'ethereum' | 'native'
    /** Rules for Ethereum transactions that override those of the profile. */
    ethereum?: Partial<EthereumRules>
    /** Chain parameters by key. */
    parameters?: Readonly<Record<string, bigint>>
    /** Replaces accounts, producers and parameters. */
    genesis?: Genesis
    /** Milliseconds. @default Date.now */
    now?: () => number
    /** The time at which the chain starts, milliseconds. @default the present time, or 2025-01-01 with a seed */
    timestamp?: number | undefined
    /** The time of block 0 of a stored chain, milliseconds; undefined where it has none. @default the present time */
    startTime?: number | undefined
  }
}
