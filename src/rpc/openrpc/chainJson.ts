import type { CoinDecimals } from '../../codec/coin.ts'

/** A chain, and how people call it and its coin. */
export type ChainWords = { id: number; name: string; symbol: string }

/** The words of `--chain-name` and `--symbol`. Without a name the id is in it. */
export function chainWords(
  { chainName, symbol }: { chainName: string | undefined; symbol: string },
  id: number,
): ChainWords {
  return { id, name: chainName ?? `Chain ${id}`, symbol }
}

/**
 * Describes the chain for wallets, in the form of the ethereum-lists/chains registry. They expect a coin with 18 decimals, so their RPC
 * address is `/wei`.
 *
 * @param url - base URL of the gateway, without a trailing slash.
 */
export function chainJson(
  { id: chainId, name, symbol }: ChainWords,
  url: string,
  hasPage: boolean,
  decimals: CoinDecimals,
) {
  const wei = `${url}/wei`
  return {
    name,
    chain: symbol,
    rpc: [wei, wei.replace(/^http/, 'ws')],
    faucets: [],
    nativeCurrency: { name: symbol, symbol, decimals: 18 },
    infoURL: url,
    shortName: `chain-${chainId}`,
    chainId,
    networkId: chainId,
    // Of amounts at `/`: 18 on a development chain with wei, otherwise 6.
    decimals,
    // The page has the paths of EIP-3091: /block/N, /tx/HASH and /address/ADDRESS.
    explorers: hasPage ? [{ name: 'ethgate', url, standard: 'EIP3091' }] : [],
  }
}
