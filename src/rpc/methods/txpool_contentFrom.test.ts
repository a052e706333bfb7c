import { expect, test } from 'vitest'

import { useManualDevNode } from '../../../test/support/devNode.ts'

const WHO = `0x${'ab'.repeat(20)}`

const mempool = useManualDevNode()

test('default: the waiting transactions of one account', async () => {
  const [from, other] = [mempool.node.accountOf(0), mempool.node.accountOf(1)]
  const hash = await mempool.node.dev.rpc('eth_sendTransaction', { from, to: WHO, value: '0x5' })
  await mempool.node.dev.rpc('eth_sendTransaction', { from: other, to: WHO, value: '0x6' })
  const { pending, queued } = (await mempool.node.rpc('txpool_contentFrom', from)) as {
    pending: Record<string, unknown>
    queued: object
  }
  expect(Object.values(pending)).toMatchObject([
    { blockHash: null, blockNumber: null, from, hash, to: WHO, value: '0x5' },
  ])
  expect(queued).toEqual({})
  expect(await mempool.node.rpc('txpool_contentFrom', WHO)).toEqual({ pending: {}, queued: {} })
})

test('behavior: a transaction in a block does not wait', async () => {
  await mempool.node.dev.rpc('evm_mine')
  expect(await mempool.node.rpc('txpool_contentFrom', mempool.node.accountOf(0))).toEqual({
    pending: {},
    queued: {},
  })
})

test('error: not an address', async () => {
  await expect(mempool.node.rpc('txpool_contentFrom', '0x12')).rejects.toMatchObject({
    code: -32602,
  })
})
