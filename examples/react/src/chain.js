import { defineChain } from 'viem'

/** The chain that the gateway serves. Wallets count in 18 decimals, so they use the address `/wei`. */
export async function readChain(base = 'http://127.0.0.1:8545') {
  const url = `${base.replace(/\/+$/, '')}/wei`
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }),
  })
  const { result } = await response.json()
  return defineChain({
    id: Number(result),
    name: 'ethgate',
    nativeCurrency: { name: 'Coin', symbol: 'COIN', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  })
}
