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
  explorers: { name: string; url: string; standard: 'EIP3091' }[]
}

/**
 * Describes the chain for wallets, which count the coin with 18 decimals: their address is `/wei`.
 *
 * @param url - where the gateway is served, without a slash at its end.
 */
export function chainJson(chainId: number, url: string, hasPage: boolean): ChainJson {
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
    // The page has /block/N, /tx/HASH and /address/ADDRESS, as EIP-3091 wants it.
    explorers: hasPage ? [{ name: 'ethgate', url, standard: 'EIP3091' }] : [],
  }
}
