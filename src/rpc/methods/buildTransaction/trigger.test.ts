import { encodeFunctionData, parseAbi } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { type DevNode, startDevNode } from '../../../../test/support/devNode.ts'
import { artifacts } from '../../../../test/support/recordedChain.ts'
import { rawDataToJson } from '../../../native/protobuf/transaction.ts'
import type { Transaction } from '../../../native/wire/types.ts'

const WHO = `0x${'ab'.repeat(20)}` as const
const abi = parseAbi([
  'function transfer(address to, uint256 amount)',
  'function balanceOf(address) view returns (uint256)',
])
const transfer = (amount: bigint) =>
  encodeFunctionData({ abi, functionName: 'transfer', args: [WHO, amount] })
const balanceOf = encodeFunctionData({ abi, functionName: 'balanceOf', args: [WHO] })

let node: DevNode
let token: string

beforeAll(async () => {
  node = await startDevNode()
  const data = `${artifacts.Token.bytecode}${'64'.padStart(64, '0')}`
  const hash = await node.dev.rpc('eth_sendTransaction', { from: node.accountOf(0), data })
  const receipt = await node.dev.rpc('eth_getTransactionReceipt', hash)
  token = (receipt as { contractAddress: string }).contractAddress
})

afterAll(() => node.close())

const build = async (request: object) => {
  const params = { from: node.accountOf(0), to: token, gas: '0x186a0', ...request }
  return ((await node.rpc('buildTransaction', params)) as { transaction: Transaction }).transaction
}

test('default: signed and sent, it calls the contract', async () => {
  await node.broadcast(await build({ data: transfer(7n) }), 0)
  expect(await node.rpc('eth_call', { to: token, data: balanceOf }, 'latest')).toBe(
    `0x${'7'.padStart(64, '0')}`,
  )
})

test('behavior: the fee limit is that of the gas, at the price of energy', async () => {
  const { raw_data } = await build({ data: transfer(1n), gas: '0x3e8' })
  expect(raw_data.fee_limit).toBe(100_000)
})

test('behavior: the number of a token above 2^53 is exact', async () => {
  const tokenId = `${2n ** 53n + 1n}`
  const { raw_data_hex } = await build({ data: transfer(1n), tokenId })
  const { contract } = rawDataToJson(Buffer.from(raw_data_hex, 'hex'))
  expect(contract?.[0]?.parameter?.value).toMatchObject({ token_id: BigInt(tokenId) })
})

test('error: a fee limit beyond 63 bits', async () => {
  await expect(build({ data: transfer(1n), gas: '0x7fffffffffffffff' })).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining('fee limit overflow'),
  })
})
