import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ContractAbi, Web3 } from 'web3'

import { startGateway, type TestGateway } from '../../support/gateway.ts'
import { artifacts, CHAIN, keys, labels } from '../../support/recordedChain.ts'

/** web3.js 4, unchanged, reads the recorded chain. */

const kitchen = `0x${labels.contracts.Kitchen.address.slice(2)}`
const token = `0x${labels.contracts.Token.address.slice(2)}`
const abi = artifacts.Kitchen.abi as unknown as ContractAbi
const tokenAbi = artifacts.Token.abi as unknown as ContractAbi

let gateway: TestGateway
let web3: Web3

beforeAll(async () => {
  gateway = await startGateway()
  web3 = new Web3(gateway.url)
})
afterAll(() => gateway.close())

test('chain', async () => {
  expect(await web3.eth.getChainId()).toBe(BigInt(CHAIN.chainId))
  expect(await web3.eth.net.getId()).toBe(BigInt(CHAIN.chainId))
  expect(await web3.eth.net.isListening()).toBe(false)
  expect(await web3.eth.getBlockNumber()).toBe(BigInt(CHAIN.head))
  expect(await web3.eth.isSyncing()).toBe(false)
  expect(await web3.eth.getNodeInfo()).toMatch(/^ethgate\//)
  expect(await web3.eth.getGasPrice()).toBe(210n)
  expect(await web3.eth.getFeeHistory(2, 'latest', [50])).toMatchObject({ oldestBlock: 222n })
})

test('blocks, transactions, receipts', async () => {
  const block = await web3.eth.getBlock('latest', true)
  expect(block).toMatchObject({ hash: CHAIN.headHash, number: BigInt(CHAIN.head) })
  const hash = `0x${labels.contracts.Token.tx}`
  const transaction = await web3.eth.getTransaction(hash)
  expect(transaction).toMatchObject({ hash, nonce: 0n, type: 0n })
  const receipt = await web3.eth.getTransactionReceipt(hash)
  expect(receipt).toMatchObject({ status: 1n, transactionHash: hash })
  expect(receipt.contractAddress?.toLowerCase()).toBe(token)
  expect(await web3.eth.getBlockTransactionCount(receipt.blockHash)).toBeGreaterThan(0n)
  expect(await web3.eth.getBlockUncleCount('latest')).toBe(0n)
})

test('state', async () => {
  expect(await web3.eth.getBalance(keys.rich.eth)).toBe(24_771_785_999_700_002n)
  expect(await web3.eth.getBalance(keys.rich.eth, 'finalized')).toBe(24_771_785_999_700_002n)
  expect(await web3.eth.getCode(kitchen)).toMatch(/^0x6080/)
  expect(BigInt(await web3.eth.getStorageAt(kitchen, 0))).toBe(2n)
  expect(await web3.eth.getTransactionCount(keys.bob.eth)).toBe(0n)
})

test('contract reads, estimates, events', async () => {
  const contract = new web3.eth.Contract(tokenAbi, token)
  expect(await contract.methods['symbol']?.().call()).toBe('TUSD')
  expect(await contract.methods['balanceOf']?.(keys.bob.eth).call()).toBeTypeOf('bigint')
  const kitchenContract = new web3.eth.Contract(abi, kitchen)
  expect(await kitchenContract.methods['set']?.(5).estimateGas()).toBe(21_510n)
  const events = await contract.getPastEvents('allEvents', { fromBlock: 0, toBlock: 'latest' })
  expect(events.length).toBeGreaterThan(3)
  const logs = await web3.eth.getPastLogs({ address: token, fromBlock: 0, toBlock: 'latest' })
  expect(logs).toHaveLength(events.length)
})

describe('reverts', () => {
  const contract = () => new web3.eth.Contract(abi, kitchen)
  const failure = async (name: string, ...args: unknown[]) =>
    contract()
      .methods[name]?.(...args)
      .call()
      .then(
        () => undefined,
        (error: { cause?: Record<string, unknown> }) => error.cause,
      )

  test('with a reason', async () => {
    expect(await failure('rString')).toMatchObject({
      data: expect.stringMatching(/^0x08c379a0/),
      errorArgs: { message: 'the reason' },
      errorName: 'Error',
    })
  })

  test('a custom error', async () => {
    expect(await failure('rCustom')).toMatchObject({
      errorArgs: { code: 42n, why: 'custom why' },
      errorName: 'Custom',
    })
  })

  test('a panic, raw bytes', async () => {
    expect(await failure('rPanic')).toMatchObject({ errorName: 'Panic' })
    expect(await failure('rRaw')).toMatchObject({ data: '0xdeadbeef' })
  })
})
