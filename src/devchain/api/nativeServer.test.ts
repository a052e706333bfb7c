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

test('error: a body that the node would not read', async () => {
  const node = await startDevNode()
  onTestFinished(() => node.close())
  const body = `{"value":"${'0'.repeat(4 * 1024 * 1024)}"}`
  const response = await fetch(`${node.dev.url}/wallet/getblockbyid`, { method: 'POST', body })
  expect(await response.text()).toBe(
    '{"Error":"class java.lang.Exception : body size is too big, the limit is 4194304"}\n',
  )
})

test('behavior: HEAD is answered as GET, and methods that the node does not take as 405', async () => {
  const node = await startDevNode()
  onTestFinished(() => node.close())
  const statusOf = async (method: string, name: string) =>
    (await fetch(`${node.dev.url}/wallet/${name}`, { method })).status
  expect(await statusOf('HEAD', 'getnowblock')).toBe(200)
  expect(await statusOf('HEAD', 'broadcasthex')).toBe(405)
  for (const method of ['PUT', 'DELETE', 'PATCH'])
    expect(await statusOf(method, 'getnowblock')).toBe(405)
  // The node has nothing to say to a GET of an operation that reads a transaction.
  const empty = await fetch(`${node.dev.url}/wallet/getsignweight`)
  expect([empty.status, await empty.text()]).toEqual([200, ''])
})
