import { afterAll, beforeAll, expect, test } from 'vitest'

import { type DevNode, startDevNode } from '../../test/devNode.ts'

const WHO = `0x${'ab'.repeat(20)}`

let node: DevNode

beforeAll(async () => {
  node = await startDevNode()
  await node.dev.rpc('evm_setAutomine', false)
})

afterAll(() => node.close())

test('default: counts what waits in the mempool of the node', async () => {
  const status = () => node.rpc('txpool_status')
  expect(await status()).toEqual({ pending: '0x0', queued: '0x0' })
  for (const value of ['0x1', '0x2'])
    await node.dev.rpc('eth_sendTransaction', { from: node.accountOf(0), to: WHO, value })
  expect(await status()).toEqual({ pending: '0x2', queued: '0x0' })
  await node.dev.rpc('evm_mine')
  expect(await status()).toEqual({ pending: '0x0', queued: '0x0' })
})
