import { expect, onTestFinished, test } from 'vitest'

import { createScriptedChain } from '../../test/chain.ts'
import { createClient, startWatchedGateway } from '../../test/watcher.ts'

async function start() {
  const chain = createScriptedChain()
  chain.mine({ logs: [[{ address: '33'.repeat(20), topics: [] }]] })
  const gateway = await startWatchedGateway(chain)
  onTestFinished(() => gateway.stop())
  return { chain, gateway }
}

test('default: nothing is pending', async () => {
  const { gateway } = await start()
  const id = await gateway.rpc<string>('eth_newPendingTransactionFilter')
  expect(await gateway.rpc('eth_getFilterChanges', id)).toEqual([])
})

test('error: the solidified view has no pool', async () => {
  const { gateway } = await start()
  const solid = createClient(`${gateway.url}/solidity`)
  await expect(solid.rpc('eth_newPendingTransactionFilter')).rejects.toMatchObject({ code: -32601 })
})
