import { createRequire } from 'node:module'

import { JsonRpcProvider, verifyMessage } from 'ethers'
import { expect, test } from 'vitest'

import { NativeSigner } from './ethers.ts'

const key = '0x15b6c40dce4ca2053f2a6b4297e63cdc1a57e0415d5a8baf976b060c8701d2e3'

test('default: the account of the key; messages are signed as in Ethereum', async () => {
  const signer = new NativeSigner(key)
  expect((await signer.getAddress()).toLowerCase()).toBe(
    '0xab9d99702700d5cb9e1309374606fe24a4fdf8ba',
  )
  expect(verifyMessage('hello', await signer.signMessage('hello'))).toBe(signer.address)
})

test('behavior: connects to another provider', () => {
  const provider = new JsonRpcProvider('http://127.0.0.1:1', 1, { staticNetwork: true })
  expect(new NativeSigner(key).connect(provider).provider).toBe(provider)
  provider.destroy()
})

test('behavior: takes the provider of another copy of ethers', async () => {
  // The CommonJS build is another copy: its classes are not those of the imports above.
  const copy = createRequire(import.meta.url)('ethers') as {
    JsonRpcProvider: typeof JsonRpcProvider
  }
  const provider = new copy.JsonRpcProvider('http://127.0.0.1:1', 1, { staticNetwork: true })
  expect(provider).not.toBeInstanceOf(JsonRpcProvider)
  const fields = { to: `0x${'11'.repeat(20)}`, nonce: 0, gasLimit: 1n, gasPrice: 1n, type: 0 }
  await expect(new NativeSigner(key, provider).signTransaction(fields)).rejects.toMatchObject({
    code: 'ECONNREFUSED',
  })
  provider.destroy()
})

test('error: no provider, and an invalid key', async () => {
  await expect(new NativeSigner(key).sendTransaction({ to: key })).rejects.toThrow(
    'JSON-RPC provider',
  )
  expect(() => new NativeSigner('0x12')).toThrow('invalid')
})
