import type { CoinDecimals } from '../../codec/coin.ts'

/** Source code that connects a tool to this gateway. */
export type SnippetText = { label: string; code: string }

/** The chain as a wallet adds it (EIP-3085). Wallets count with 18 decimals, so their address is `/wei`. */
export function walletChain(chainId: number, origin: string) {
  return {
    chainId: `0x${chainId.toString(16)}`,
    chainName: `Chain ${chainId}`,
    nativeCurrency: { name: 'Coin', symbol: 'COIN', decimals: 18 },
    rpcUrls: [`${origin}/wei`],
    blockExplorerUrls: [origin],
  }
}

/** Snippets for libraries and tools. @param url - where JSON-RPC is served @param chainId - decimal */
export function connectSnippets(
  url: string,
  chainId: number,
  decimals: CoinDecimals,
): SnippetText[] {
  const socket = url.replace(/^http/, 'ws')
  return [
    {
      label: 'viem',
      code: `import { createPublicClient, defineChain, http } from 'viem'

const chain = defineChain({
  id: ${chainId},
  name: 'Chain ${chainId}',
  nativeCurrency: { name: 'Coin', symbol: 'COIN', decimals: ${decimals} },
  rpcUrls: { default: { http: ['${url}'], webSocket: ['${socket}'] } },
})
const client = createPublicClient({ chain, transport: http() })
console.log(await client.getBlockNumber())`,
    },
    {
      label: 'ethers',
      code: `import { JsonRpcProvider } from 'ethers'

const provider = new JsonRpcProvider('${url}', ${chainId}, { cacheTimeout: -1 })
console.log(await provider.getBlockNumber())`,
    },
    {
      label: 'wagmi',
      code: `import { createConfig, http } from 'wagmi'
import { defineChain } from 'viem'

const chain = defineChain({
  id: ${chainId},
  name: 'Chain ${chainId}',
  nativeCurrency: { name: 'Coin', symbol: 'COIN', decimals: 18 },
  rpcUrls: { default: { http: ['${url}/wei'] } },
})
export const config = createConfig({ chains: [chain], transports: { [chain.id]: http() } })`,
    },
    {
      label: 'Hardhat',
      code: `module.exports = {
  solidity: '0.8.28',
  networks: { ethgate: { url: '${url}', chainId: ${chainId} } },
}`,
    },
    { label: 'Foundry', code: `cast block-number --rpc-url ${url}` },
    {
      label: 'curl',
      code: `curl -s ${url} -d '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}'`,
    },
  ]
}
