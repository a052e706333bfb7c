import { expect, test } from 'vitest'

import { connectSnippets, walletChain } from './snippets.ts'

const codeOf = (label: string, decimals: 6 | 18) =>
  connectSnippets('http://127.0.0.1:8545', 1, decimals).find((one) => one.label === label)?.code

test('default: an ethers provider reads each nonce anew', () => {
  expect(codeOf('ethers', 6)).toContain(
    "new JsonRpcProvider('http://127.0.0.1:8545', 1, { cacheTimeout: -1 })",
  )
})

test('args: decimals: viem counts as the chain does, wallets always with 18', () => {
  expect(codeOf('viem', 6)).toContain('decimals: 6 }')
  expect(codeOf('viem', 18)).toContain('decimals: 18 }')
  expect(codeOf('wagmi', 6)).toContain('decimals: 18 }')
  expect(codeOf('wagmi', 6)).toContain("['http://127.0.0.1:8545/wei']")
  expect(walletChain(1, 'http://127.0.0.1:8545').nativeCurrency.decimals).toBe(18)
})
