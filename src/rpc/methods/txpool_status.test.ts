import { expect, test } from 'vitest'

import { useManualDevNode } from '../../../test/support/devNode.ts'

const WHO = `0x${'ab'.repeat(20)}`

const mempool = useManualDevNode()

test('default: counts what waits in the mempool of the node', async () => {
  const status = () => mempool.node.rpc('txpool_status')
  expect(await status()).toEqual({ pending: '0x0', queued: '0x0' })
  for (const value of ['0x1', '0x2'])
    await mempool.node.dev.rpc('eth_sendTransaction', {
      from: mempool.node.accountOf(0),
      to: WHO,
      value,
    })
  expect(await status()).toEqual({ pending: '0x2', queued: '0x0' })
  await mempool.node.dev.rpc('evm_mine')
  expect(await status()).toEqual({ pending: '0x0', queued: '0x0' })
})
