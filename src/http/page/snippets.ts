import type { CoinDecimals } from '../../codec/coin.ts'
import type { ChainWords } from '../../rpc/openrpc/chainJson.ts'

/** The chain as a wallet adds it (EIP-3085). Wallets count with 18 decimals, so their address is `/wei`. */
export function walletChain({ id, name, symbol }: ChainWords, origin: string) {
  return {
    chainId: `0x${id.toString(16)}`,
    chainName: name,
    nativeCurrency: { name: symbol, symbol, decimals: 18 },
    rpcUrls: [`${origin}/wei`],
    blockExplorerUrls: [origin],
  }
}

/** Source code that connects libraries and tools to this gateway. @param url - where JSON-RPC is served */
export function connectSnippets(
  url: string,
  { id: chainId, name, symbol }: ChainWords,
  decimals: CoinDecimals,
) {
  // The words are in the source code of others.
  const text = (word: string) => `'${word.replaceAll(/[\\']/g, String.raw`\$&`)}'`
  const coin = `name: ${text(symbol)}, symbol: ${text(symbol)}`
  const socket = url.replace(/^http/, 'ws')
  return [
    {
      label: 'viem',
      code: `import { createPublicClient, defineChain, http } from 'viem'

const chain = defineChain({
  id: ${chainId},
  name: ${text(name)},
  nativeCurrency: { ${coin}, decimals: ${decimals} },
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
  name: ${text(name)},
  nativeCurrency: { ${coin}, decimals: 18 },
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
