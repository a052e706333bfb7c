import { type Config, createConfig, http } from '@wagmi/core'
import {
  estimateGas,
  getBalance,
  getBlock,
  getBytecode,
  getFeeHistory,
  getTransaction,
  getTransactionReceipt,
  multicall,
  readContract,
  simulateContract,
  waitForTransactionReceipt,
} from '@wagmi/core/actions'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { startGateway, type TestGateway } from '../../support/gateway.ts'
import { artifacts, CHAIN, keys, labels } from '../../support/recordedChain.ts'

/** wagmi, unchanged, reads the recorded chain. */

const kitchen = `0x${labels.contracts.Kitchen.address.slice(2)}` as const
const token = `0x${labels.contracts.Token.address.slice(2)}` as const
const hash = `0x${labels.contracts.Token.tx}` as const

let gateway: TestGateway
let config: Config

beforeAll(async () => {
  gateway = await startGateway()
  config = createConfig({
    chains: [
      {
        id: CHAIN.chainId,
        name: 'recorded',
        nativeCurrency: { decimals: 6, name: 'coin', symbol: 'COIN' },
        rpcUrls: { default: { http: [gateway.url] } },
      },
    ],
    transports: { [CHAIN.chainId]: http(gateway.url) },
  })
})
afterAll(() => gateway.close())

test('blocks, transactions, receipts', async () => {
  expect((await getBlock(config)).hash).toBe(CHAIN.headHash)
  expect((await getBlock(config, { blockTag: 'finalized' })).number).toBe(BigInt(CHAIN.head))
  expect(await getTransaction(config, { hash })).toMatchObject({ hash, to: null, type: 'legacy' })
  expect(await getTransactionReceipt(config, { hash })).toMatchObject({ status: 'success' })
  expect(await waitForTransactionReceipt(config, { hash })).toMatchObject({
    contractAddress: token,
  })
})

test('accounts', async () => {
  expect(await getBalance(config, { address: keys.rich.eth })).toMatchObject({
    decimals: 6,
    value: 24_771_785_999_700_002n,
  })
  expect(await getBytecode(config, { address: kitchen })).toMatch(/^0x6080/)
})

test('contracts', async () => {
  const { abi } = artifacts.Token
  expect(await readContract(config, { abi, address: token, functionName: 'symbol' })).toBe('TUSD')
  expect(
    await simulateContract(config, {
      abi,
      account: keys.alice.eth,
      address: token,
      args: [keys.bob.eth, 1n],
      functionName: 'transfer',
    }),
  ).toMatchObject({ result: true })
  expect(
    await multicall(config, {
      contracts: [
        { abi, address: token, functionName: 'decimals' },
        { abi: artifacts.Kitchen.abi, address: kitchen, functionName: 'n' },
        { abi: artifacts.Kitchen.abi, address: kitchen, functionName: 'rEmpty' },
      ],
      deployless: true,
    }),
  ).toMatchObject([
    { result: 6, status: 'success' },
    { result: 2n, status: 'success' },
    { status: 'failure' },
  ])
})

test('fees', async () => {
  expect(await getFeeHistory(config, { blockCount: 2, rewardPercentiles: [50] })).toMatchObject({
    reward: [[0n], [0n]],
  })
  const transfer = { account: keys.bob.eth, to: keys.dave.eth, value: 1n } as const
  expect(await estimateGas(config, transfer)).toBe(21_000n)
})

test('reverts', async () => {
  await expect(
    readContract(config, { abi: artifacts.Kitchen.abi, address: kitchen, functionName: 'rString' }),
  ).rejects.toThrow('the reason')
})
