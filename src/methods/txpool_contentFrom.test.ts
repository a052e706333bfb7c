import { afterAll, beforeAll, expect, test } from 'vitest'

import { type DevNode, startDevNode } from '../../test/devNode.ts'

const WHO = `0x${'ab'.repeat(20)}`

let node: DevNode

beforeAll(async () => {
  node = await startDevNode()
  await node.dev.rpc('evm_setAutomine', false)
})

afterAll(() => node.close())

test('default: the waiting transactions of one account', async () => {
  const [from, other] = [node.accountOf(0), node.accountOf(1)]
  const hash = await node.dev.rpc('eth_sendTransaction', { from, to: WHO, value: '0x5' })
  await node.dev.rpc('eth_sendTransaction', { from: other, to: WHO, value: '0x6' })
  const { pending, queued } = (await node.rpc('txpool_contentFrom', from)) as {
    pending: Record<string, unknown>
    queued: object
  }
  expect(Object.values(pending)).toMatchObject([
    { blockHash: null, blockNumber: null, from, hash, to: WHO, value: '0x5' },
  ])
  expect(queued).toEqual({})
  expect(await node.rpc('txpool_contentFrom', WHO)).toEqual({ pending: {}, queued: {} })
})

test('behavior: nothing waits once it is in a block', async () => {
  await node.dev.rpc('evm_mine')
  expect(await node.rpc('txpool_contentFrom', node.accountOf(0))).toEqual({
    pending: {},
    queued: {},
  })
})

test('error: not an address', async () => {
  await expect(node.rpc('txpool_contentFrom', '0x12')).rejects.toMatchObject({ code: -32602 })
})
