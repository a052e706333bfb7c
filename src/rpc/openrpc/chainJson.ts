import type { CoinDecimals } from '../../codec/coin.ts'

/** The chain in the form of the ethereum-lists/chains registry. */
export type ChainJson = {
  name: string
  chain: string
  rpc: string[]
  faucets: string[]
  nativeCurrency: { name: string; symbol: string; decimals: number }
  infoURL: string
  shortName: string
  chainId: number
  networkId: number
  /** Decimals of amounts at `/`: 18 on a development chain with wei, otherwise 6. */
  decimals: CoinDecimals
  explorers: { name: string; url: string; standard: 'EIP3091' }[]
}

/**
 * Describes the chain for wallets. They expect a coin with 18 decimals, so their RPC address is `/wei`.
 *
 * @param url - base URL of the gateway, without a trailing slash.
 */
export function chainJson(
  chainId: number,
  url: string,
  hasPage: boolean,
  decimals: CoinDecimals,
): ChainJson {
  const wei = `${url}/wei`
  return {
    name: `Chain ${chainId}`,
    chain: 'COIN',
    rpc: [wei, wei.replace(/^http/, 'ws')],
    faucets: [],
    nativeCurrency: { name: 'Coin', symbol: 'COIN', decimals: 18 },
    infoURL: url,
    shortName: `chain-${chainId}`,
    chainId,
    networkId: chainId,
    decimals,
    // The page has the paths of EIP-3091: /block/N, /tx/HASH and /address/ADDRESS.
    explorers: hasPage ? [{ name: 'ethgate', url, standard: 'EIP3091' }] : [],
  }
}
