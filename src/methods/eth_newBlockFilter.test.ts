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

test('default: an id of 16 random bytes, another each time', async () => {
  const { gateway } = await start()
  const ids = [await gateway.rpc('eth_newBlockFilter'), await gateway.rpc('eth_newBlockFilter')]
  expect(new Set(ids).size).toBe(2)
  for (const id of ids) expect(id).toMatch(/^0x[1-9a-f][0-9a-f]{31}$/)
})
