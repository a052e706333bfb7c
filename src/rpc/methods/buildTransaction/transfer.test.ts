import { afterAll, beforeAll, expect, test } from 'vitest'

import { type DevNode, startDevNode } from '../../../../test/support/devNode.ts'
import type { Transaction } from '../../../native/wire/types.ts'

const WHO = `0x${'ab'.repeat(20)}`

let node: DevNode

beforeAll(async () => {
  node = await startDevNode()
})

afterAll(() => node.close())

const build = async (request: object) => {
  const params = { from: node.accountOf(0), to: WHO, ...request }
  return ((await node.rpc('buildTransaction', params)) as { transaction: Transaction }).transaction
}

test('default: signed and sent, it moves the coins and keeps the memo', async () => {
  const transaction = await build({ value: '0x1f4', extraData: '0x6869' })
  await node.broadcast(transaction, 0)
  expect(await node.dev.rpc('eth_getBalance', WHO)).toBe('0x1f4')
  const { raw_data } = await node.dev.native('/wallet/gettransactionbyid', {
    value: transaction.txID,
  })
  expect(raw_data).toMatchObject({ data: '6869', contract: [{ type: 'TransferContract' }] })
})

test('error: a transaction that the node refuses to build', async () => {
  await expect(build({ value: '0x7fffffffffffffff' })).rejects.toMatchObject({
    message: expect.stringContaining('balance is not sufficient'),
  })
  await expect(build({ to: node.accountOf(0), value: '0x1' })).rejects.toMatchObject({
    message: expect.stringContaining('yourself'),
  })
})
