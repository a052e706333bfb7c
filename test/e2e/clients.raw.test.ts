import { encodeFunctionData } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { post } from '../support/client.ts'
import { headBlock } from '../support/context.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { artifacts, CHAIN, keys, labels } from '../support/recordedChain.ts'

/** The requests of clients that do not run here, in the shapes that they send. */

const kitchen = `0x${labels.contracts.Kitchen.address.slice(2)}`
const data = encodeFunctionData({ abi: artifacts.Kitchen.abi, functionName: 'n' })
const set = encodeFunctionData({ abi: artifacts.Kitchen.abi, args: [5n], functionName: 'set' })
const zero = `0x${'0'.repeat(40)}`
const TWO = `0x${'2'.padStart(64, '0')}`

let gateway: TestGateway

beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway.close())

const resultOf = async (method: string, params: unknown[]) => {
  const { error, result } = await post(gateway.url, method, params)
  expect(error).toBeUndefined()
  return result
}

describe('MetaMask', () => {
  // It replaces `latest` by the number that it last saw, which may not be the newest now.
  const seen = '0xdc'

  test('state at the last number that it saw', async () => {
    expect(await resultOf('eth_call', [{ to: kitchen, data }, seen])).toBe(TWO)
    expect(await resultOf('eth_getBalance', [keys.rich.eth, seen])).toBe('0x5801cee0f6d022')
    expect(await resultOf('eth_getCode', [kitchen, seen])).toMatch(/^0x6080/)
    expect(await resultOf('eth_getTransactionCount', [keys.bob.eth, seen])).toBe('0x0')
  })

  test('an estimate with a budget and a block', async () => {
    const call = {
      from: keys.bob.eth,
      to: keys.dave.eth,
      value: '0x1',
      data: null,
      gas: '0x55d4a80',
    }
    expect(await resultOf('eth_estimateGas', [call, seen])).toBe('0x5208')
  })

  test('a block that says that fees are of the EIP-1559 kind', async () => {
    const block = await resultOf('eth_getBlockByNumber', ['latest', false])
    expect(block).toHaveProperty('baseFeePerGas', '0xd2')
    expect(block).toMatchObject({ gasLimit: expect.stringMatching(/^0x[1-9a-f]/) })
  })
})

describe('cast and other clients on alloy', () => {
  test('a call with everything that a transaction has', async () => {
    const call = {
      accessList: [],
      chainId: '0xb24e27cc',
      from: zero,
      input: data,
      maxFeePerGas: '0x1a4',
      maxPriorityFeePerGas: '0x0',
      nonce: '0x0',
      to: kitchen,
      type: '0x2',
    }
    expect(await resultOf('eth_call', [call, 'latest'])).toBe(TWO)
    expect(await resultOf('eth_call', [{ ...call, data }])).toBe(TWO)
    expect(await resultOf('eth_estimateGas', [{ ...call, input: set }])).toBe('0x5406')
  })

  test('the history that it prices by', async () => {
    const history = await resultOf('eth_feeHistory', ['0xa', 'latest', [20]])
    expect(history).toMatchObject({
      oldestBlock: '0xd6',
      reward: Array.from({ length: 10 }, () => ['0x0']),
    })
    expect((history as { baseFeePerGas: string[] }).baseFeePerGas.at(-1)).toBe('0xd2')
  })
})

test('hardhat: a call with its own field names', async () => {
  const call = {
    chain: 'x',
    data,
    from: keys.bob.eth,
    hardfork: 'london',
    networkId: 1,
    to: kitchen,
  }
  expect(await resultOf('eth_call', [{ ...call, from: zero }, 'pending'])).toBe(TWO)
})

test('graph-node: state and receipts by the hash of a block', async () => {
  const blockHash = headBlock(CHAIN.head - 1).hash
  expect(await resultOf('eth_call', [{ to: kitchen, data }, { blockHash }])).toBe(TWO)
  const receipts = await resultOf('eth_getBlockReceipts', [headBlock(130).hash])
  expect(receipts).toMatchObject([{ blockHash: headBlock(130).hash }])
  expect(await resultOf('net_version', [])).toBe('2991466444')
})

test('subsquid: a batch of log reads by block hash, ids of any kind', async () => {
  const batch = Array.from({ length: 20 }, (_, index) => ({
    id: index % 2 ? `log-${index}` : index,
    jsonrpc: '2.0',
    method: 'eth_getLogs',
    params: [{ blockHash: headBlock(130 + index).hash }],
  }))
  const response = await fetch(gateway.url, { body: JSON.stringify(batch), method: 'POST' })
  const answers = (await response.json()) as { id: unknown; result: { blockHash: string }[] }[]
  expect(answers.map(({ id }) => id)).toEqual(batch.map(({ id }) => id))
  for (const [index, { result }] of answers.entries())
    for (const { blockHash } of result) expect(blockHash).toBe(headBlock(130 + index).hash)
})

test('native tools: addresses in base58 and with the prefix', async () => {
  for (const form of ['eth', 'hex', 'base58'] as const)
    expect(await resultOf('eth_getBalance', [keys.rich[form], 'latest'])).toBe('0x5801cee0f6d022')
})
