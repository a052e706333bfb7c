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
export function defineChain({
  accounts: funded = {},
  rules = {},
  ...options
}: defineChain.Options) {
  const { balance = 10_000n, count = 10, derivationPath, mnemonic } = funded
  const { decimals = 6, parameters, producers = 5, profile = 'ethereum' } = rules
  const { now = Date.now, seed, timestamp } = options.time ?? {}
  const accounts = devAccounts(count, mnemonic, derivationPath)
  const isLikeEthereum = decimals === 18 && profile !== 'native'
  const chainId = rules.chainId ?? (isLikeEthereum ? TOOLS_CHAIN_ID : undefined)
  const forTransactions = {
    ...(profile === 'native' ? nativeRules : ethereumRules),
    ...(isLikeEthereum && { energy: DEFAULT_HARDFORK }),
    ...rules.ethereum,
  }
  const ethereum: EthereumRules = {
    ...forTransactions,
    baseFee: isLikeEthereum && forTransactions.energy !== 'native' ? 'eip1559' : 'fixed',
  }
  const genesis: Genesis = rules.genesis ?? {
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
    parameters: { ...(decimals === 18 && { getEnergyFee: GWEI }), ...parameters },
  }

  /** The time of block 0: that of a chain that was stored, the chosen one, or now in whole seconds. */
  function startTime(): number | undefined {
    if ('startTime' in options) return options.startTime
    if (timestamp !== undefined) return timestamp
    return seed === undefined ? now() - (now() % 1_000) : SEEDED_START
  }

  return { accounts, ethereum, genesis }
}

export declare namespace defineChain {
  type Options = {
    accounts?: Accounts | undefined
    rules?: Rules | undefined
    time?: Time | undefined
    /** The time of block 0 of a stored chain, milliseconds; undefined where it has none. @default the present time */
    startTime?: number | undefined
  }

  /** The funded accounts. */
  type Accounts = {
    /** Coins of each. @default 10,000 */
    balance?: bigint
    /** How many there are. @default 10 */
    count?: number
    /** Derivation path without the index. @default m/44'/60'/0'/0 */
    derivationPath?: string
    /** @default the one that development tools share */
    mnemonic?: string
  }

  /** How the chain differs from others. */
  type Rules = {
    /** @default the last four bytes of the genesis hash; 31337 with 18 decimals outside the native profile */
    chainId?: number
    /** 18: balances and values are in units of 10^-18 of the coin, and native transactions are rejected. @default 6 */
    decimals?: 6 | 18
    /** Rules for Ethereum transactions that override those of the profile. */
    ethereum?: Partial<EthereumRules>
    /** Replaces accounts, producers and parameters. */
    genesis?: Genesis
    /** Chain parameters by key. */
    parameters?: Readonly<Record<string, bigint>>
    /** Number of producers. A block is solidified when 70 percent of them have built on it. @default 5 */
    producers?: number
    /** `ethereum`: behaves as development tools expect. `native`: behaves like the real chain. @default 'ethereum' */
    profile?: 'ethereum' | 'native'
  }

  /** The time that blocks have. */
  type Time = {
    /** Milliseconds. @default Date.now */
    now?: () => number
    /** Makes every block and hash reproducible: times start at a fixed date, three seconds a block. */
    seed?: string
    /** The time at which the chain starts, milliseconds. @default the present time, or 2025-01-01 with a seed */
    timestamp?: number | undefined
  }
}
