import { expect, test } from 'vitest'

import { useManualDevNode } from '../../../test/support/devNode.ts'

const WHO = `0x${'ab'.repeat(20)}`

const mempool = useManualDevNode()

test('default: a line for each waiting transaction, by sender', async () => {
  const [from, other] = [mempool.node.accountOf(0), mempool.node.accountOf(1)]
  await mempool.node.dev.rpc('eth_sendTransaction', { from, to: WHO, value: '0x5', gas: '0x5208' })
  const creation = { from: other, data: '0x6001600055', gas: '0x186a0' }
  await mempool.node.dev.rpc('eth_sendTransaction', creation)
  const { pending, queued } = (await mempool.node.rpc('txpool_inspect')) as {
    pending: Record<string, Record<string, string>>
    queued: object
  }
  const lines = Object.fromEntries(
    Object.entries(pending).map(([who, own]) => [who, Object.values(own)]),
  )
  expect(lines).toEqual({
    [from]: [expect.stringMatching(new RegExp(`^${WHO}: 5 wei \\+ \\d+ gas × \\d+ wei$`))],
    [other]: [expect.stringMatching(/^contract creation: 0 wei \+ \d+ gas × \d+ wei$/)],
  })
  expect(queued).toEqual({})
})
