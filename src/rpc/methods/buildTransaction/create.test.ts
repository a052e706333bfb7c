import { afterAll, beforeAll, expect, test } from 'vitest'

import { type DevNode, startDevNode } from '../../../../test/support/devNode.ts'
import { toNativeAddress } from '../../../lib/address.ts'
import { rawDataToJson } from '../../../native/protobuf/transaction.ts'
import type { Transaction } from '../../../native/wire/types.ts'

/** Creation code that returns ten bytes: 602a600055600a600c. */
const CREATION = '0x69602b60005560006000f3600052600a6016f3'

let node: DevNode

beforeAll(async () => {
  node = await startDevNode()
})

afterAll(() => node.close())

const build = async (request: object) => {
  const params = { from: node.accountOf(0), data: CREATION, gas: '0x186a0', ...request }
  return ((await node.rpc('buildTransaction', params)) as { transaction: Transaction }).transaction
}

test('default: signed and sent, it creates the contract with its name, interface and terms', async () => {
  const abi = JSON.stringify([
    { type: 'function', name: 'kept', inputs: [], outputs: [], stateMutability: 'view' },
  ])
  const terms = { consumeUserResourcePercent: 40, originEnergyLimit: 5_000_000 }
  const transaction = await build({ abi, name: 'Kept', ...terms })
  await node.broadcast(transaction, 0)
  const receipt = await node.dev.rpc('eth_getTransactionReceipt', `0x${transaction.txID}`)
  const { contractAddress, status } = receipt as { contractAddress: string; status: string }
  expect(status).toBe('0x1')
  expect(await node.dev.rpc('eth_getCode', contractAddress)).toBe('0x602b60005560006000f3')
  expect(
    await node.dev.native('/wallet/getcontract', {
      value: toNativeAddress(contractAddress as '0x'),
    }),
  ).toMatchObject({
    name: 'Kept',
    abi: { entrys: [{ name: 'kept' }] },
    consume_user_resource_percent: 40,
    origin_energy_limit: 5_000_000,
  })
})

test('behavior: the number of a token above 2^53 is exact', async () => {
  const tokenId = `${2n ** 53n + 1n}`
  const { raw_data_hex } = await build({ tokenId })
  const { contract } = rawDataToJson(Buffer.from(raw_data_hex, 'hex'))
  expect(contract?.[0]?.parameter?.value).toMatchObject({ token_id: BigInt(tokenId) })
})

test('error: no code', async () => {
  await expect(build({ data: '0x' })).rejects.toMatchObject({ code: -32600 })
})
