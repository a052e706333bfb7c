import {
  BaseError,
  ContractFunctionRevertedError,
  createPublicClient,
  encodeDeployData,
  encodeFunctionData,
  getAddress,
  http,
  numberToHex,
  RpcRequestError,
  zeroAddress,
} from 'viem'
import { mainnet } from 'viem/chains'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { startGateway, type TestGateway } from '../support/gateway.ts'
import { artifacts, CHAIN, keys, labels } from '../support/recordedChain.ts'

/** viem, unchanged, reads the recorded chain. */

const kitchen = `0x${labels.contracts.Kitchen.address.slice(2)}` as const
const token = `0x${labels.contracts.Token.address.slice(2)}` as const
const { abi } = artifacts.Kitchen

let gateway: TestGateway
let client: ReturnType<typeof connect>

const connect = (url: string) =>
  createPublicClient({
    chain: { ...mainnet, id: CHAIN.chainId, contracts: {} },
    transport: http(url, { batch: true, retryCount: 0, timeout: 60_000 }),
  })

beforeAll(async () => {
  gateway = await startGateway()
  client = connect(gateway.url)
})
afterAll(() => gateway.close())

test('chain', async () => {
  expect(await client.getChainId()).toBe(CHAIN.chainId)
  expect(await client.getBlockNumber()).toBe(BigInt(CHAIN.head))
  expect((await client.getBlock()).hash).toBe(CHAIN.headHash)
})

test.each(['latest', 'pending', 'safe', 'finalized'] as const)('state at %s', async (blockTag) => {
  expect(await client.getBalance({ address: keys.rich.eth, blockTag })).toBe(
    24_771_785_999_700_002n,
  )
  expect(await client.getCode({ address: kitchen, blockTag })).toMatch(/^0x6080/)
  expect(await client.readContract({ abi, address: kitchen, blockTag, functionName: 'n' })).toBe(2n)
  expect(await client.getTransactionCount({ address: keys.bob.eth, blockTag })).toBe(0)
})

test('state at a number', async () => {
  const read = { abi, address: kitchen, functionName: 'n' } as const
  expect(await client.readContract({ ...read, blockNumber: BigInt(CHAIN.head) })).toBe(2n)
  await expect(client.readContract({ ...read, blockNumber: 5n })).rejects.toThrow(
    'historical state of block 5 is not available',
  )
  expect(await client.getBalance({ address: keys.rich.eth, blockNumber: 5n })).toBe(
    25_000_000_000_000_000n,
  )
})

test('storage', async () => {
  expect(await client.getStorageAt({ address: kitchen, slot: '0x0' })).toBe(
    numberToHex(2, { size: 32 }),
  )
})

test('contract reads of every kind', async () => {
  const contract = { abi: artifacts.Token.abi, address: token }
  expect(await client.readContract({ ...contract, functionName: 'symbol' })).toBe('TUSD')
  expect(await client.readContract({ ...contract, functionName: 'decimals' })).toBe(6)
  expect(await client.readContract({ abi, address: kitchen, functionName: 's' })).toMatch(
    /^a long string/,
  )
})

test('simulation of a write', async () => {
  const { result } = await client.simulateContract({
    abi: artifacts.Token.abi,
    account: keys.alice.eth,
    address: token,
    args: [keys.bob.eth, 1n],
    functionName: 'transfer',
  })
  expect(result).toBe(true)
})

test('multicall without a contract on the chain', async () => {
  const call = { abi, address: kitchen } as const
  const answers = await client.multicall({
    contracts: [
      { ...call, functionName: 'n' },
      { ...call, functionName: 'rString' },
      { abi: artifacts.Token.abi, address: token, functionName: 'symbol' },
    ],
    deployless: true,
  })
  expect(answers.map(({ status, result }) => ({ status, result }))).toEqual([
    { status: 'success', result: 2n },
    { status: 'failure', result: undefined },
    { status: 'success', result: 'TUSD' },
  ])
})

test('a call of code without an address', async () => {
  const { data } = await client.call({
    code: encodeDeployData({
      abi: artifacts.Token.abi,
      args: [100n],
      bytecode: `0x${artifacts.Token.bytecode.replace('0x', '')}`,
    }),
    data: encodeFunctionData({ abi: artifacts.Token.abi, functionName: 'decimals' }),
  })
  expect(data).toBe(numberToHex(6, { size: 32 }))
})

test('logs and events', async () => {
  const events = await client.getContractEvents({
    abi: artifacts.Token.abi,
    address: token,
    eventName: 'Transfer',
    fromBlock: 0n,
  })
  expect(events.length).toBeGreaterThan(3)
  expect(events[0]).toMatchObject({
    args: { from: zeroAddress, to: getAddress(keys.alice.eth) },
    eventName: 'Transfer',
  })
})

test('fees are of the EIP-1559 kind throughout, without a tip', async () => {
  expect(await client.getGasPrice()).toBe(210n)
  expect(await client.estimateMaxPriorityFeePerGas()).toBe(0n)
  expect(await client.estimateFeesPerGas({ type: 'legacy' })).toEqual({ gasPrice: 252n })
  expect(await client.estimateFeesPerGas()).toEqual({
    maxFeePerGas: 252n,
    maxPriorityFeePerGas: 0n,
  })
  const history = await client.getFeeHistory({ blockCount: 3, rewardPercentiles: [25, 75] })
  expect(history).toMatchObject({ baseFeePerGas: [210n, 210n, 210n, 210n], oldestBlock: 221n })
  const request = await client.prepareTransactionRequest({
    account: keys.bob.eth,
    to: keys.alice.eth,
    value: 1n,
  })
  expect(request).toMatchObject({
    gas: 21_000n,
    maxFeePerGas: 504n,
    maxPriorityFeePerGas: 0n,
    nonce: 0,
    type: 'eip1559',
  })
})

test('estimates', async () => {
  const call = { abi, account: keys.bob.eth, address: kitchen } as const
  expect(await client.estimateContractGas({ ...call, args: [5n], functionName: 'set' })).toBe(
    21_510n,
  )
  const bytecode = `0x${artifacts.Token.bytecode.replace('0x', '')}` as const
  const data = encodeDeployData({ abi: artifacts.Token.abi, args: [100n], bytecode })
  expect(await client.estimateGas({ account: keys.bob.eth, data })).toBeGreaterThan(500_000n)
})

test('waiting for a receipt that is there', async () => {
  const hash = `0x${labels.contracts.Token.tx}` as const
  const receipt = await client.waitForTransactionReceipt({ hash, timeout: 60_000 })
  expect(receipt).toMatchObject({ contractAddress: token, status: 'success' })
  expect(await client.getTransactionConfirmations({ hash })).toBeGreaterThan(1n)
})

describe('reverts', () => {
  async function revertOf(functionName: string, args: unknown[] = []) {
    const call = { abi, account: keys.bob.eth, address: kitchen, args, functionName }
    const errors = [
      await client.simulateContract(call).catch((error: BaseError) => error),
      await client.estimateContractGas(call).catch((error: BaseError) => error),
    ]
    return errors.map((error) => {
      if (!(error instanceof BaseError)) throw new Error('it did not revert')
      return error.walk((one) => one instanceof ContractFunctionRevertedError)
    })
  }

  test.each([
    ['rString', [], { reason: 'the reason' }],
    ['rCustom', [], { data: { args: [42n, 'custom why'], errorName: 'Custom' } }],
    ['rPanic', [], { data: { args: [1n], errorName: 'Panic' } }],
    ['rDiv', [0n], { data: { args: [18n], errorName: 'Panic' } }],
    ['rRaw', [], { signature: '0xdeadbeef' }],
    ['rEmpty', [], { raw: '0x' }],
  ])('%s', async (name, args, expected) => {
    const [called, estimated] = await revertOf(name, args)
    expect(called).toMatchObject(expected)
    expect(estimated).toMatchObject(expected)
  })

  test('a custom error with arguments', async () => {
    const error = await client
      .simulateContract({
        abi: artifacts.Token.abi,
        account: keys.dave.eth,
        address: token,
        args: [keys.bob.eth, 5n],
        functionName: 'transfer',
      })
      .catch((error: BaseError) => error)
    expect(
      (error as BaseError).walk((one) => one instanceof ContractFunctionRevertedError),
    ).toMatchObject({
      data: { args: [expect.any(String), 0n, 5n], errorName: 'InsufficientBalance' },
    })
  })

  test('a constructor', async () => {
    const bytecode = `0x${artifacts.BadCtor.bytecode.replace('0x', '')}` as const
    const error = await client.call({ data: bytecode }).catch((error: BaseError) => error)
    expect((error as BaseError).walk((one) => one instanceof RpcRequestError)).toMatchObject({
      code: 3,
      data: expect.stringMatching(/^0x08c379a0/),
      details: 'execution reverted: ctor says no',
    })
  })

  test.each(
    labels.transactions.filter(({ label }) => /^tx reverts r|custom error|^BadCtor/.test(label)),
  )('the transaction "$label", called again', async ({ id }) => {
    const hash = `0x${id}` as const
    expect(await client.getTransactionReceipt({ hash })).toMatchObject({ status: 'reverted' })
    const { from, input, to, value } = await client.getTransaction({ hash })
    const again = { account: from, data: input, to, value }
    const error = await client.call(again).catch((error: BaseError) => error)
    expect((error as BaseError).walk((one) => one instanceof RpcRequestError)).toMatchObject({
      code: 3,
      data: expect.stringMatching(/^0x/),
    })
  })

  test('failures that are not reverts', async () => {
    const error = await client
      .call({ data: encodeFunctionData({ abi, functionName: 'invalid' }), to: kitchen })
      .catch((error: BaseError) => error)
    expect((error as BaseError).details).toBe('invalid opcode: Invalid operation code: opCode[fe];')
  })
})
