import {
  Contract,
  type EthersError,
  Interface,
  type InterfaceAbi,
  JsonRpcProvider,
  Network,
} from 'ethers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { startGateway, type TestGateway } from '../support/gateway.ts'
import { artifacts, CHAIN, keys, labels } from '../support/recordedChain.ts'

/** ethers 6, unchanged, reads the recorded chain. */

const kitchen = `0x${labels.contracts.Kitchen.address.slice(2)}`
const token = `0x${labels.contracts.Token.address.slice(2)}`
const abi = artifacts.Kitchen.abi as InterfaceAbi

let gateway: TestGateway
let provider: JsonRpcProvider

beforeAll(async () => {
  gateway = await startGateway()
  const network = new Network('recorded', CHAIN.chainId)
  provider = new JsonRpcProvider(gateway.url, network, { staticNetwork: network })
})
afterAll(async () => {
  provider.destroy()
  await gateway.close()
})

test('chain', async () => {
  // Without a static network it asks the gateway which one it is.
  const curious = new JsonRpcProvider(gateway.url)
  expect((await curious.getNetwork()).chainId).toBe(BigInt(CHAIN.chainId))
  curious.destroy()
  expect(await provider.getBlockNumber()).toBe(CHAIN.head)
  for (const tag of ['latest', 'pending', 'safe', 'finalized'])
    expect((await provider.getBlock(tag))?.hash).toBe(CHAIN.headHash)
  expect(await provider.getBlock(`0x${'ab'.repeat(32)}`)).toBeNull()
})

test('fees are of the EIP-1559 kind, without a tip', async () => {
  expect(await provider.getFeeData()).toMatchObject({
    gasPrice: 210n,
    maxFeePerGas: 420n,
    maxPriorityFeePerGas: 0n,
  })
})

test.each(['latest', 'pending', 'finalized', CHAIN.head, CHAIN.head - 10])(
  'state at %s',
  async (block) => {
    expect(await provider.getBalance(keys.rich.eth, block)).toBe(24_771_785_999_700_002n)
    expect(await provider.getCode(kitchen, block)).toMatch(/^0x6080/)
    expect(await provider.getTransactionCount(keys.bob.eth, block)).toBe(0)
  },
)

test('storage', async () => {
  expect(BigInt(await provider.getStorage(kitchen, 0))).toBe(2n)
})

test('contract reads', async () => {
  const contract = new Contract(token, artifacts.Token.abi as InterfaceAbi, provider)
  expect(await contract.getFunction('symbol')()).toBe('TUSD')
  expect(await contract.getFunction('decimals')()).toBe(6n)
  const kitchenContract = new Contract(kitchen, abi, provider)
  expect(await kitchenContract.getFunction('n')({ blockTag: 'finalized' })).toBe(2n)
  expect(await kitchenContract.getFunction('n')({ blockTag: CHAIN.head })).toBe(2n)
})

test('events', async () => {
  const contract = new Contract(token, artifacts.Token.abi as InterfaceAbi, provider)
  const events = await contract.queryFilter('Transfer', 0, 'latest')
  expect(events.length).toBeGreaterThan(3)
  const received = contract.filters['Transfer']?.(null, keys.bob.eth)
  if (!received) throw new Error('no such event')
  const [first] = await contract.queryFilter(received, 0)
  expect(first?.topics[2]).toBe(`0x${keys.bob.eth.slice(2).toLowerCase().padStart(64, '0')}`)
})

test('transactions', async () => {
  const { tx } = labels.contracts.Token
  const transaction = await provider.getTransaction(`0x${tx}`)
  expect(transaction).toMatchObject({ chainId: BigInt(CHAIN.chainId), nonce: 0, to: null, type: 0 })
  const receipt = await transaction?.wait()
  expect(receipt).toMatchObject({ status: 1 })
  expect(receipt?.contractAddress?.toLowerCase()).toBe(token)
  expect(await provider.getTransaction(`0x${'ab'.repeat(32)}`)).toBeNull()
  expect(await provider.getTransactionReceipt(`0x${'ab'.repeat(32)}`)).toBeNull()
})

test('estimates', async () => {
  const contract = new Contract(kitchen, abi, provider)
  expect(await contract.getFunction('set').estimateGas(5n)).toBe(21_510n)
  expect(await provider.estimateGas({ from: keys.bob.eth, to: keys.dave.eth, value: 1n })).toBe(
    21_000n,
  )
})

test('a call at a past block is refused', async () => {
  const contract = new Contract(kitchen, abi, provider)
  const error: unknown = await contract
    .getFunction('n')({ blockTag: 5 })
    .catch((e: unknown) => e)
  expect(error).toMatchObject({
    info: { error: { code: -32000, message: 'historical state of block 5 is not available' } },
  })
})

describe('reverts', () => {
  async function errorOf(run: Promise<unknown>): Promise<EthersError & Record<string, unknown>> {
    return run.then(
      () => {
        throw new Error('it did not revert')
      },
      (error: EthersError & Record<string, unknown>) => error,
    )
  }

  test.each([
    ['rString', [], 'the reason', { args: ['the reason'], name: 'Error' }],
    ['rCustom', [], 'Custom(uint256,string)', { args: [42n, 'custom why'], name: 'Custom' }],
    ['rPanic', [], 'Panic due to ASSERT_FALSE(1)', { args: [1], name: 'Panic' }],
    ['rDiv', [0n], 'Panic due to DIVIDE_BY_ZERO(18)', { args: [18], name: 'Panic' }],
    ['rRaw', [], null, null],
    ['rEmpty', [], 'require(false)', null],
  ])('%s', async (name, args, reason, decoded) => {
    const method = new Contract(kitchen, abi, provider).getFunction(name)
    const called = await errorOf(method.staticCall(...args))
    expect(called).toMatchObject({ code: 'CALL_EXCEPTION', reason })
    const revert = called['revert'] as { args: unknown[]; name: string } | null
    expect(revert && { args: [...revert.args], name: revert.name }).toEqual(decoded)
    const estimated = await errorOf(method.estimateGas(...args))
    expect(estimated).toMatchObject({ code: 'CALL_EXCEPTION', data: called['data'] })
  })

  test('a custom error with arguments', async () => {
    const contract = new Contract(token, artifacts.Token.abi as InterfaceAbi, provider)
    const error = await errorOf(
      contract.getFunction('transfer').staticCall(keys.bob.eth, 5n, { from: keys.dave.eth }),
    )
    const parsed = Interface.from(artifacts.Token.abi as InterfaceAbi).parseError(
      String(error['data']),
    )
    expect(parsed?.name).toBe('InsufficientBalance')
    expect(parsed?.args.slice(1)).toEqual([0n, 5n])
  })

  test('insufficient funds has its own code', async () => {
    const value = 9_000_000_000_000_000n
    const error = await errorOf(
      provider.estimateGas({ from: keys.bob.eth, to: keys.dave.eth, value }),
    )
    expect(error.code).toBe('INSUFFICIENT_FUNDS')
  })
})
