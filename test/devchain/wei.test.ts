import { JsonRpcProvider, keccak256, parseEther, Transaction, Wallet } from 'ethers'
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

test('behavior: tools set balances and the base fee in wei too', async () => {
  const who = `0x${'8e'.repeat(20)}`
  await provider.send('hardhat_setBalance', [who, `0x${parseEther('2').toString(16)}`])
  await provider.send('anvil_addBalance', [who, `0x${parseEther('1').toString(16)}`])
  expect(await provider.getBalance(who)).toBe(parseEther('3'))
  const price = `0x${parseEther('0.0005').toString(16)}`
  await provider.send('hardhat_setNextBlockBaseFeePerGas', [price])
  expect(await provider.send('eth_gasPrice', [])).toBe(price)
  await provider.send('evm_mine', [])
})

test('behavior: what the chain signs or fills in at /wei can be sent there', async () => {
  const value = `0x${parseEther('1').toString(16)}`
  const request = { from: dev.accountOf(6), to, value }
  const filled = (await provider.send('eth_fillTransaction', [request])) as { raw: string }
  expect(Transaction.from(filled.raw).value).toBe(parseEther('1'))
  const raw = (await provider.send('eth_signTransaction', [request])) as string
  const hash = (await provider.send('eth_sendRawTransaction', [raw])) as string
  expect(await provider.send('eth_getTransactionByHash', [hash])).toMatchObject({ value })
  await provider.send('anvil_reorg', [1, [[raw, 0]]])
  expect(await provider.send('eth_getTransactionByHash', [hash])).toMatchObject({ value })
})

test('behavior: methods of this chain alone answer in wei too', async () => {
  const request = { from: dev.accountOf(6), to, value: '0xe8d4a51000' }
  const price = (await provider.send('eth_gasPrice', [])) as string
  expect(await provider.send('eth_sendTransactionSync', [request])).toMatchObject({
    effectiveGasPrice: price,
  })
  expect(await provider.send('anvil_nodeInfo', [])).toMatchObject({
    environment: { baseFee: price, gasPrice: price },
  })
  await dev.rpc('evm_setAutomine', false)
  await provider.send('eth_sendTransaction', [request])
  expect(await provider.send('evm_mine_detailed', [])).toMatchObject([
    { transactions: [{ value: request.value, gasPrice: price }] },
  ])
  await dev.rpc('evm_setAutomine', true)
})

test.each([
  { type: 2, maxFeePerGas: 420_001_500_000_000n, maxPriorityFeePerGas: 1_500_000_000n },
  { type: 0, gasPrice: 420_001_500_000_000n },
])('behavior: a maximum price is rounded down, and its bytes stay: type $type', async (fees) => {
  const wallet = new Wallet(dev.keyOf(5), provider)
  const base = await wallet.populateTransaction({ to, value: parseEther('1') })
  const raw = await wallet.signTransaction(
    Transaction.from({
      ...base,
      from: null,
      maxFeePerGas: null,
      maxPriorityFeePerGas: null,
      ...fees,
    }),
  )
  const hash = (await provider.send('eth_sendRawTransaction', [raw])) as string
  expect(hash).toBe(keccak256(raw))
  expect((await provider.waitForTransaction(hash))?.status).toBe(1)
  expect(await provider.send('debug_getRawTransaction', [hash])).toBe(raw)
  const { gasPrice, maxFeePerGas } = fees
  const given = {
    [gasPrice ? 'gasPrice' : 'maxFeePerGas']: `0x${(gasPrice ?? maxFeePerGas).toString(16)}`,
  }
  expect(await provider.send('eth_estimateGas', [{ from: wallet.address, to, ...given }])).toBe(
    '0x5208',
  )
})

test('error: an amount that is not a whole number of sun', async () => {
  const wallet = new Wallet(dev.keyOf(3), provider)
  const raw = await wallet.signTransaction({
    ...(await wallet.populateTransaction({ to, value: parseEther('1') })),
    value: 1n,
  })
  await expect(provider.send('eth_sendRawTransaction', [raw])).rejects.toMatchObject({
    error: {
      code: -32602,
      message: expect.stringMatching(/: value: expected a multiple/) as string,
    },
  })
})

test('error: an amount in wei at an address that counts in sun gets a hint', async () => {
  const plain = new JsonRpcProvider(dev.url, undefined, { cacheTimeout: -1 })
  const wallet = new Wallet(dev.keyOf(4), plain)
  const value = parseEther('1')
  const hint = expect.stringMatching(/^insufficient funds for gas.*\/wei.*--decimals 18/) as string
  const request = { from: wallet.address, to, value: `0x${value.toString(16)}` }
  for (const method of ['eth_sendTransaction', 'buildTransaction'])
    expect([method, await dev.rpc(method, request).catch((error: unknown) => error)]).toEqual([
      method,
      expect.objectContaining({ code: -32000, message: hint }),
    ])
  const raw = await wallet.signTransaction(
    await wallet.populateTransaction({ to, value, gasLimit: 21_000 }),
  )
  await expect(plain.send('eth_sendRawTransaction', [raw])).rejects.toMatchObject({
    info: { error: { message: hint } },
  })
  // A million coins are only too many.
  await expect(
    dev.rpc('eth_sendTransaction', { ...request, value: '0xe8d4a51000' }),
  ).rejects.toThrow(/^insufficient funds for gas[^(]*$/)
  plain.destroy()
})
