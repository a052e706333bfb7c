import { expect, test } from 'vitest'

import { connectSnippets, walletChain } from './snippets.ts'

const CHAIN = { id: 1, name: "Bob's chain", symbol: 'BOB' }

const codeOf = (label: string, decimals: 6 | 18) =>
  connectSnippets('http://127.0.0.1:8545', CHAIN, decimals).find((one) => one.label === label)?.code

test('default: an ethers provider reads each nonce anew', () => {
  expect(codeOf('ethers', 6)).toContain(
    "new JsonRpcProvider('http://127.0.0.1:8545', 1, { cacheTimeout: -1 })",
  )
})

test('behavior: the name of the chain is text in the code of others', () => {
  expect(codeOf('viem', 6)).toContain(String.raw`name: 'Bob\'s chain',`)
})

test('args: decimals: viem counts as the chain does, wallets always with 18', () => {
  expect(codeOf('viem', 6)).toContain('decimals: 6 }')
  expect(codeOf('viem', 18)).toContain('decimals: 18 }')
  expect(codeOf('wagmi', 6)).toContain('decimals: 18 }')
  expect(codeOf('wagmi', 6)).toContain("['http://127.0.0.1:8545/wei']")
  expect(walletChain(CHAIN, 'http://127.0.0.1:8545').nativeCurrency.decimals).toBe(18)
})
