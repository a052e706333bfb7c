import { expect, onTestFinished, test } from 'vitest'

import { startDevNode } from '../../../test/support/devNode.ts'

test('behavior: a gateway in the process and one over HTTP return the same blocks', async () => {
  const node = await startDevNode()
  onTestFinished(() => node.close())
  await node.dev.rpc('eth_sendTransaction', { from: node.accountOf(0), to: node.accountOf(1) })
  for (const number of ['0x0', '0x1'])
    expect(await node.rpc('eth_getBlockByNumber', number, true)).toEqual(
      await node.dev.rpc('eth_getBlockByNumber', number, true),
    )
})
