import { JsonRpcProvider, parseEther, Wallet } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { type DevGateway, startDevGateway } from '../support/devGateway.ts'

/** A wallet that counts the coin with 18 decimals, at /wei of a chain that counts it with 6. */

let dev: DevGateway
let provider: JsonRpcProvider

beforeAll(async () => {
  dev = await startDevGateway()
  provider = new JsonRpcProvider(`${dev.url}/wei`, undefined, { cacheTimeout: -1 })
})

afterAll(async () => {
  provider?.destroy()
  await dev?.close()
})

const to = `0x${'7e'.repeat(20)}`

test('default: an amount in wei moves the same amount in sun', async () => {
  const wallet = new Wallet(dev.keyOf(2), provider)
  const sent = await wallet.sendTransaction({ to, value: parseEther('1.5') })
  const receipt = await sent.wait()
  expect(receipt?.status).toBe(1)
  expect(await provider.getBalance(to)).toBe(parseEther('1.5'))
  expect(await dev.rpc('eth_getBalance', to, 'latest')).toBe('0x16e360')
  const found = await provider.getTransaction(sent.hash)
  expect(found?.value).toBe(parseEther('1.5'))
})

test('error: an amount that is not a whole number of sun', async () => {
  const wallet = new Wallet(dev.keyOf(3), provider)
  const raw = await wallet.signTransaction({
    ...(await wallet.populateTransaction({ to, value: parseEther('1') })),
    value: 1n,
  })
  await expect(provider.send('eth_sendRawTransaction', [raw])).rejects.toMatchObject({
    error: { code: -32602 },
  })
})
