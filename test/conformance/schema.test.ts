import { readFileSync } from 'node:fs'

import { Ajv, type ValidateFunction } from 'ajv'
import { encodeFunctionData } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { post } from '../support/client.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { blockCalls, heights } from '../support/recordedBlock.ts'
import { artifacts, CHAIN, keys, labels } from '../support/recordedChain.ts'

/** Every result fits the schema that the Ethereum execution APIs publish for its method. */

const { methods } = JSON.parse(
  readFileSync(new URL('../fixtures/execution-apis.json', import.meta.url), 'utf8'),
) as { methods: Record<string, { result: object } | undefined> }

const ajv = new Ajv({ allErrors: true, strict: false })
const validators = new Map<string, ValidateFunction>()

let gateway: TestGateway

beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway.close())

function validatorOf(method: string): ValidateFunction {
  const known = validators.get(method)
  if (known) return known
  const schema = methods[method]?.result
  if (!schema) throw new Error(`no schema of ${method}`)
  const validate = ajv.compile(schema)
  validators.set(method, validate)
  return validate
}

/** The faults of the answer to a call: an error, or the places where the result violates the schema. */
async function faults(method: string, params: unknown[] = []): Promise<unknown[]> {
  const { error, result } = await post(gateway.url, method, params)
  if (error) return [error]
  const validate = validatorOf(method)
  validate(result)
  return validate.errors ?? []
}

const kitchen = `0x${labels.contracts.Kitchen.address.slice(2)}`
const token = `0x${labels.contracts.Token.address.slice(2)}`
const data = encodeFunctionData({ abi: artifacts.Kitchen.abi, functionName: 'n' })
const unknown = `0x${'ab'.repeat(32)}`

test.each<[string, unknown[]]>([
  ['eth_accounts', []],
  ['eth_blockNumber', []],
  ['eth_call', [{ to: kitchen, data }, 'latest']],
  ['eth_chainId', []],
  ['eth_estimateGas', [{ to: kitchen, data }]],
  ['eth_feeHistory', ['0x5', 'latest', [10, 90]]],
  ['eth_gasPrice', []],
  ['eth_getBalance', [keys.rich.eth, 'latest']],
  ['eth_getBalance', [keys.rich.eth, 'finalized']],
  ['eth_getBlockByHash', [CHAIN.headHash, false]],
  ['eth_getBlockByHash', [unknown, false]],
  ['eth_getBlockByNumber', ['0xffff', true]],
  ['eth_getBlockReceipts', ['latest']],
  ['eth_getBlockReceipts', ['0xffff']],
  ['eth_getBlockTransactionCountByHash', [CHAIN.headHash]],
  ['eth_getBlockTransactionCountByHash', [unknown]],
  ['eth_getBlockTransactionCountByNumber', ['0x82']],
  ['eth_getCode', [kitchen, 'latest']],
  ['eth_getCode', [keys.bob.eth, 'latest']],
  ['eth_getLogs', [{ address: token, fromBlock: '0x0' }]],
  ['eth_getStorageAt', [kitchen, '0x0', 'latest']],
  ['eth_getTransactionByBlockHashAndIndex', [unknown, '0x0']],
  ['eth_getTransactionByBlockNumberAndIndex', ['0x82', '0x0']],
  ['eth_getTransactionByHash', [unknown]],
  ['eth_getTransactionCount', [keys.bob.eth, 'pending']],
  ['eth_getTransactionReceipt', [unknown]],
  ['eth_maxPriorityFeePerGas', []],
  ['eth_newBlockFilter', []],
  ['eth_newFilter', [{ address: token }]],
  ['eth_newPendingTransactionFilter', []],
  ['eth_syncing', []],
  ['net_version', []],
])('%s %j', async (method, params) => {
  expect(await faults(method, params)).toEqual([])
})

test('filters', async () => {
  const { result: id } = await post(gateway.url, 'eth_newFilter', [
    { address: token, fromBlock: '0x0' },
  ])
  expect(await faults('eth_getFilterLogs', [id])).toEqual([])
  // The filter has no changes yet; the schema allows an empty list of one kind only.
  expect(await post(gateway.url, 'eth_getFilterChanges', [id])).toMatchObject({ result: [] })
  expect(await faults('eth_uninstallFilter', [id])).toEqual([])
})

test.each(heights)('block %i with its transactions and receipts', async (number) => {
  const found = await Promise.all(
    blockCalls(number).map(([method, params]) => faults(method, params)),
  )
  expect(found.flat()).toEqual([])
})
