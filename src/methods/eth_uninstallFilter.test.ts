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

test('default: true once, false afterwards and for what never was', async () => {
  const { gateway } = await start()
  const id = await gateway.rpc<string>('eth_newBlockFilter')
  expect(await gateway.rpc('eth_uninstallFilter', id)).toBe(true)
  expect(await gateway.rpc('eth_uninstallFilter', id)).toBe(false)
  expect(await gateway.rpc('eth_uninstallFilter', '0xdeadbeef')).toBe(false)
  await expect(gateway.rpc('eth_uninstallFilter')).rejects.toMatchObject({ code: -32602 })
})
