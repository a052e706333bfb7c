import { expect, onTestFinished, test } from 'vitest'

import { createScriptedChain } from '../../test/chain.ts'
import { startWatchedGateway } from '../../test/watcher.ts'

async function start() {
  const chain = createScriptedChain()
  chain.mine({ logs: [[{ address: '33'.repeat(20), topics: [] }]] })
  const gateway = await startWatchedGateway(chain)
  onTestFinished(() => gateway.stop())
  return { chain, gateway }
}

test('default: the whole range, every time', async () => {
  const { gateway } = await start()
  const filter = { fromBlock: '0x0', toBlock: '0x1' }
  const id = await gateway.rpc<string>('eth_newFilter', filter)
  const logs = await gateway.rpc('eth_getLogs', filter)
  expect(logs).toHaveLength(1)
  expect(await gateway.rpc('eth_getFilterLogs', id)).toEqual(logs)
  expect(await gateway.rpc('eth_getFilterLogs', id)).toEqual(logs)
})

test('error: a block filter has no logs', async () => {
  const { gateway } = await start()
  const id = await gateway.rpc<string>('eth_newBlockFilter')
  await expect(gateway.rpc('eth_getFilterLogs', id)).rejects.toMatchObject({
    code: -32000,
    message: 'filter not found',
  })
})
