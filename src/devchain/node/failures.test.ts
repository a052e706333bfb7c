import { concatHex, encodeErrorResult, type Hex, parseAbi, size, toHex } from 'viem'
import { afterEach, beforeEach, expect, test } from 'vitest'

import { type DevGateway, startDevGateway } from '../../../test/support/devGateway.ts'

const abi = parseAbi(['error TooLow(uint256 have)'])
const tooLow = encodeErrorResult({ abi, errorName: 'TooLow', args: [7n] })
const NAMED = "VM Exception while processing transaction: reverted with custom error 'TooLow(7)'"

let dev: DevGateway

beforeEach(async () => {
  dev = await startDevGateway({ rules: { decimals: 18 } })
})
afterEach(() => dev.close())

/** Creation code that reverts with data of at most 255 bytes. */
const reverting = (data: Hex) => concatHex(['0x60', toHex(size(data)), '0x80600a5f395ffd00', data])

test('default: the chain id is 31337 with 18 decimals; the native profile has that of the chain', async () => {
  expect(await dev.rpc('eth_chainId')).toBe('0x7a69')
  const native = await startDevGateway({ rules: { decimals: 18, profile: 'native' } })
  expect(await native.rpc('eth_chainId')).toBe(
    `0x${native.chain.ledger.block(0)?.id.slice(-8).replace(/^0+/, '')}`,
  )
  await native.close()
})

test('behavior: hardhat_addCompilationResult names custom errors in calls, estimates, transactions and on the page', async () => {
  const failing = { from: dev.accountOf(0), data: reverting(tooLow) }
  const message = `VM Exception while processing transaction: reverted with an unrecognized custom error (return data: ${tooLow})`
  await expect(dev.rpc('eth_call', failing)).rejects.toMatchObject({ code: 3, message })
  const output = { contracts: { 'A.sol': { A: { abi } } } }
  expect(await dev.rpc('hardhat_addCompilationResult', '0.8.24', {}, output)).toBe(true)
  const named = { code: 3, message: NAMED, data: tooLow }
  await expect(dev.rpc('eth_call', failing)).rejects.toMatchObject(named)
  await expect(dev.rpc('eth_estimateGas', failing)).rejects.toMatchObject(named)
  const sent = dev.rpc('eth_sendTransaction', { ...failing, gas: '0x20000' })
  const error = (await sent.catch((failure: unknown) => failure)) as { data: { txHash: Hex } }
  expect(error).toMatchObject({ code: 3, message: NAMED, data: { message: NAMED, data: tooLow } })
  const page = await fetch(`${dev.url}/tx/${error.data.txHash}`, {
    headers: { accept: 'text/html' },
  })
  expect(await page.text()).toContain('TooLow(7)')
})

test.each([
  ['0xfe', /: invalid opcode: /],
  ['0x5b600056', /^Transaction ran out of gas: /],
  ['0x01', /: stack underflow: /],
])('behavior: Hardhat’s and Ethereum’s words for the failure of %s', async (data, message) => {
  await expect(
    dev.rpc('eth_call', { from: dev.accountOf(0), data, gas: '0x10000' }),
  ).rejects.toMatchObject({
    code: -32000,
    message: expect.stringMatching(message) as string,
    data: '0x',
  })
})

test('error: a compiler output that is no object', async () => {
  await expect(dev.rpc('hardhat_addCompilationResult', '0.8.24', {}, 'x')).rejects.toMatchObject({
    code: -32602,
  })
})
